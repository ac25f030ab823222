// SPDX-License-Identifier: GPL-2.0
/*
 * Who gets the waiting pages before their grace period ends by itself: an
 * allocation about to fail, contiguous allocation and memory offlining, memory
 * failure (all by the hook), and the OOM killer (by its notifier).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/oom.h>
#include <linux/printk.h>

#include "refless.h"
#include "trace.h"

/*
 * What ceased to wait since @before, by this drain or by another one that it
 * waited for: memory that an allocation should look for before it gives up.
 */
static unsigned long progress(unsigned long before, unsigned long pages)
{
	unsigned long now = waiting_pages();

	return max(pages, before > now ? before - now : 0);
}

/**
 * drain_for - the hook: give the waiting pages to the allocator now
 * @cause: who asks
 *
 * Context: process, SRCU; may sleep.
 * Return: pages freed, by this drain or while it waited for another.
 */
unsigned long drain_for(enum refless_drain_cause cause)
{
	unsigned long before = waiting_pages(), pages;

	if (fault_skip_drain || (!before && cause == REFLESS_DRAIN_RECLAIM))
		return 0;
	/* Isolation asks for particular pages, which a worker may have in hand. */
	pages = free_deferred_expedited(cause != REFLESS_DRAIN_RECLAIM);
	trace_refless_drain(cause, pages);

	switch (cause) {
	case REFLESS_DRAIN_RECLAIM:
		stat_inc(drains_reclaim);
		stat_add(drained_reclaim, pages);
		break;
	case REFLESS_DRAIN_ISOLATION:
		stat_inc(drains_isolation);
		stat_add(drained_isolation, pages);
		break;
	case REFLESS_DRAIN_POISON:
		stat_inc(drains_poison);
		stat_add(drained_poison, pages);
		break;
	}
	return progress(before, pages);
}

/* A count above zero makes the OOM killer let the allocation try again. */
static int drain_before_oom(struct notifier_block *block, unsigned long unused, void *freed)
{
	unsigned long before = waiting_pages(), pages;

	if (fault_skip_drain)
		return NOTIFY_OK;
	pages = free_deferred_expedited(true);
	trace_refless_drain(DRAIN_OOM, pages);
	stat_inc(drains_oom);
	stat_add(drained_oom, pages);
	pages = progress(before, pages);
	if (pages)
		pr_info("%lu pages that waited for a grace period were freed before OOM\n", pages);
	*(unsigned long *)freed += pages;
	return NOTIFY_OK;
}

static struct notifier_block oom_notifier = {
	.notifier_call = drain_before_oom,
};

/**
 * drain_init - listen for the OOM killer
 *
 * Context: module load.
 * Return: 0 or an error of the notifier chain.
 */
int drain_init(void)
{
	return register_oom_notifier(&oom_notifier);
}

/**
 * drain_exit - undo drain_init(); on return the notifier is not running
 *
 * Context: module unload.
 */
void drain_exit(void)
{
	unregister_oom_notifier(&oom_notifier);
}
