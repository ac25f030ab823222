// SPDX-License-Identifier: GPL-2.0
/*
 * Random delays at the moments that the protocol guards, by kprobes: a folio has
 * left or is about to leave the page cache, its free is offered, a grace period
 * begins, a folio is split or migrated. Those within a read are the module's own,
 * in its test build (fault_*_window_us).
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/prandom.h>

#include "torture.h"

static unsigned int window_us = 100;
module_param(window_us, uint, 0444);
MODULE_PARM_DESC(window_us, "Longest delay in a window, in microseconds (default 100)");

static unsigned int window_one_in = 64;
module_param(window_one_in, uint, 0444);
MODULE_PARM_DESC(window_one_in, "One passage in so many is delayed (default 64)");

/* The entry of each; what a kernel's compiler made disappear is passed over. */
static struct kprobe windows[] = {
	{ .symbol_name = "filemap_unaccount_folio" },
	{ .symbol_name = "__filemap_remove_folio" },
	{ .symbol_name = "delete_from_page_cache_batch" },
	{ .symbol_name = "__refless_folio_removed" },
	{ .symbol_name = "__refless_folio_read" },
	{ .symbol_name = "__refless_defer_free" },
	{ .symbol_name = "queue_rcu_work" },
	{ .symbol_name = "rcu_gp_init" },
	{ .symbol_name = "rcu_gp_cleanup" },
	{ .symbol_name = "synchronize_rcu_expedited" },
	{ .symbol_name = "folio_migrate_mapping" },
	{ .symbol_name = "__filemap_add_folio" },
	{ .symbol_name = "shmem_add_to_page_cache" },
};

/* A probe is a trap, in which the kernel's own random numbers may not take their lock. */
static DEFINE_PER_CPU(u32, random_state);

static u32 random_below(u32 limit)
{
	u32 next = next_pseudo_random32(this_cpu_read(random_state));

	this_cpu_write(random_state, next);
	return (next >> 8) % limit;
}

static int widen(struct kprobe *window, struct pt_regs *regs)
{
	if (random_below(window_one_in))
		return 0;
	count_event(WINDOWS);
	udelay(1 + random_below(window_us));
	return 0;
}

void windows_open(void)
{
	unsigned int i;

	if (!window_us || !window_one_in)
		return;
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		windows[i].pre_handler = widen;
		if (register_kprobe(&windows[i])) {
			pr_info("torture: no window at %s\n", windows[i].symbol_name);
			windows[i].pre_handler = NULL;
		}
	}
}

/* On return no CPU is in a window. */
void windows_close(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++)
		if (windows[i].pre_handler)
			unregister_kprobe(&windows[i]);
}
