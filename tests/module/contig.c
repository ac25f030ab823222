// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates each range of so many pages between two page frames with
 * alloc_contig_range(), as CMA, virtio-mem and gigantic pages do, frees it again,
 * and counts how often that worked. The work is done when the module is loaded.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>

static unsigned long start_pfn;
module_param(start_pfn, ulong, 0444);
MODULE_PARM_DESC(start_pfn, "The first page frame");

static unsigned long end_pfn;
module_param(end_pfn, ulong, 0444);
MODULE_PARM_DESC(end_pfn, "The page frame after the last");

static unsigned long pages = 1024;
module_param(pages, ulong, 0444);
MODULE_PARM_DESC(pages, "Pages in a range (default 1024)");

static unsigned int rounds = 1;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "How often to go over all ranges (default 1)");

static unsigned long tried;
module_param(tried, ulong, 0444);
MODULE_PARM_DESC(tried, "Ranges that were asked for");

static unsigned long allocated;
module_param(allocated, ulong, 0444);
MODULE_PARM_DESC(allocated, "Ranges that were got");

static int __init contig_init(void)
{
	unsigned long pfn;
	unsigned int round;

	if (!pages || !pfn_to_online_page(start_pfn) || !pfn_to_online_page(end_pfn - 1))
		return -EINVAL;
	for (round = 0; round < rounds; round++) {
		for (pfn = start_pfn; pfn + pages <= end_pfn; pfn += pages) {
			tried++;
			if (!alloc_contig_range(pfn, pfn + pages, MIGRATE_MOVABLE, GFP_KERNEL)) {
				allocated++;
				free_contig_range(pfn, pages);
			}
			cond_resched();
		}
	}
	return 0;
}

static void __exit contig_exit(void)
{
}

module_init(contig_init);
module_exit(contig_exit);

MODULE_DESCRIPTION("Counts contiguous allocations that succeed, for tests");
MODULE_LICENSE("GPL");
