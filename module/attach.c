// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's hooks: switched on and off here, and nowhere else.
 *
 * Order of life: frees are deferred before the first read without a reference
 * and until after the last one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jump_label.h>
#include <linux/printk.h>
#include <linux/srcu.h>
#include <linux/static_call.h>

#include "refless.h"

DECLARE_STATIC_CALL(refless_filemap_read, __refless_filemap_read);
DECLARE_STATIC_CALL(refless_shmem_read, __refless_shmem_read);
DECLARE_STATIC_CALL(refless_folio_read, __refless_folio_read);
DECLARE_STATIC_CALL(refless_defer_free, __refless_defer_free);
DECLARE_STATIC_CALL(refless_folio_removed, __refless_folio_removed);
DECLARE_STATIC_CALL(refless_drain, __refless_drain);

static void switch_key(struct static_key_false *key, bool on)
{
	if (on)
		static_branch_enable(key);
	else
		static_branch_disable(key);
}

/* From here on folios are flagged and their frees wait; then reads may begin. */
static void start_deferring(void)
{
	static_branch_enable(&refless_key);
	/*
	 * A free that saw the key off is of a folio that had left the page cache
	 * before; after this nobody who found it there is left to read it.
	 */
	synchronize_rcu();
	/* Not earlier: a CPU may yet be about to enter by a key of an earlier time. */
	static_call_update(refless_filemap_read, read_filemap);
	static_call_update(refless_shmem_read, read_shmem);
}

/*
 * Folios that keep their flag are freed at once from here on, which is right as
 * no reader without a reference is left.
 */
static void stop_deferring(void)
{
	/*
	 * The keys are tested outside of rcu_read_lock(), so that a task may enter
	 * long after they were switched off. It must not find the reader then.
	 */
	static_call_update(refless_filemap_read, (void *)__static_call_return0);
	static_call_update(refless_shmem_read, (void *)__static_call_return0);
	/* The last reader leaves before the first free that is not deferred. */
	synchronize_rcu();
	static_branch_disable(&refless_key);
	/* The drains are off with it: what was deferred by now must not go on waiting. */
	if (!fault_skip_stop_wait)
		synchronize_rcu();
	free_deferred_expedited(true);
}

/**
 * switch_reads - let reads of either kind go without references, or not
 * @filemap: those of file systems that use filemap_read()
 * @shmem: those of tmpfs
 *
 * With both off the hooks are off, as if the module were not loaded.
 *
 * Context: between attach_hooks() and detach_hooks(), one caller at a time; may
 * sleep.
 */
void switch_reads(bool filemap, bool shmem)
{
	bool either = filemap || shmem;
	bool deferring = static_key_enabled(&refless_key);

	if (either && !deferring)
		start_deferring();
	switch_key(&refless_filemap_key, filemap);
	switch_key(&refless_shmem_key, shmem);
	if (!either && deferring)
		stop_deferring();
}

/**
 * attach_hooks - make ready for switch_reads(); reads and frees stay as they are
 *
 * Context: module load; may sleep.
 * Return: 0, -EINVAL if the kernel's hooks have another ABI.
 */
int attach_hooks(void)
{
	if (refless_hook_abi != WANTED_HOOK_ABI) {
		pr_err("the kernel's hooks have ABI %u, this module needs %u: take both from one version\n",
		       refless_hook_abi, WANTED_HOOK_ABI);
		return -EINVAL;
	}

	static_call_update(refless_folio_read, flag_if_hot);
	static_call_update(refless_defer_free, defer_free);
	static_call_update(refless_folio_removed, folio_removed);
	static_call_update(refless_drain, drain_for);
	return 0;
}

/**
 * detach_hooks - leave the kernel; on return no CPU is in this module by a hook
 *
 * Context: module unload; may sleep.
 */
void detach_hooks(void)
{
	switch_reads(false, false);
	static_call_update(refless_folio_read, (void *)__static_call_return0);
	static_call_update(refless_defer_free, (void *)__static_call_return0);
	static_call_update(refless_folio_removed, (void *)__static_call_return0);
	static_call_update(refless_drain, (void *)__static_call_return0);
	/* The hooks call in under rcu_read_lock() or, those that sleep, under SRCU. */
	synchronize_rcu();
	synchronize_srcu(&refless_drain_srcu);
}
