// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates pages in interrupt context all the time, as network drivers do, and
 * counts the allocations that fail. They cannot wait, reclaim or drain.
 *
 * It keeps what it gets for a while: "held" pages, replaced "batch" at a time.
 */
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int period_us = 1000;
module_param(period_us, uint, 0444);
MODULE_PARM_DESC(period_us, "Between two batches, in microseconds (default 1000)");

static unsigned int batch = 16;
module_param(batch, uint, 0444);
MODULE_PARM_DESC(batch, "Pages in a batch (default 16)");

static unsigned int held = 512;
module_param(held, uint, 0444);
MODULE_PARM_DESC(held, "Pages held at a time (default 512)");

static unsigned long allocated;
module_param(allocated, ulong, 0444);
MODULE_PARM_DESC(allocated, "Allocations that succeeded");

static unsigned long failed;
module_param(failed, ulong, 0644);
MODULE_PARM_DESC(failed, "Allocations that failed");

static struct page **pages;
static unsigned int next;
static struct hrtimer timer;

static enum hrtimer_restart allocate_batch(struct hrtimer *unused)
{
	unsigned int i;

	for (i = 0; i < batch; i++) {
		if (pages[next])
			__free_page(pages[next]);
		pages[next] = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		if (pages[next])
			allocated++;
		else
			failed++;
		next = (next + 1) % held;
	}
	hrtimer_forward_now(&timer, ns_to_ktime(period_us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int __init atomics_init(void)
{
	if (!period_us || !batch || !held)
		return -EINVAL;
	pages = kvcalloc(held, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer.function = allocate_batch;
	hrtimer_start(&timer, ns_to_ktime(period_us * NSEC_PER_USEC), HRTIMER_MODE_REL);
	return 0;
}

static void __exit atomics_exit(void)
{
	unsigned int i;

	hrtimer_cancel(&timer);
	for (i = 0; i < held; i++)
		if (pages[i])
			__free_page(pages[i]);
	kvfree(pages);
}

module_init(atomics_init);
module_exit(atomics_exit);

MODULE_DESCRIPTION("Counts atomic allocations that fail, for tests");
MODULE_LICENSE("GPL");
