// SPDX-License-Identifier: GPL-2.0
/*
 * How many pages wait, per zone and in all, and when that is too much.
 *
 * Folios are counted in runs of one zone, as most lists are; the counts are per-CPU
 * and folded in steps, so the sum that is compared with the limit may be behind by
 * COUNT_STEP pages and a run for each CPU.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/percpu_counter.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "refless.h"

/* Pages that a CPU counts for itself before it touches the shared sum. */
#define COUNT_STEP	64
/* So many times the limit is too much even while memory is plentiful. */
#define PLENTY_FACTOR	4

struct waiting_count {
	struct percpu_counter now;
	/* Written by whoever sees a new maximum; a lost race loses one step. */
	unsigned long peak;
};

/* One for each zone of each possible node, and a last one for the sum. */
static struct waiting_count *counts;
static unsigned int nr_counts;

static struct waiting_count *total(void)
{
	return &counts[nr_counts - 1];
}

static void count(struct waiting_count *waiting, long pages)
{
	s64 now;

	percpu_counter_add_batch(&waiting->now, pages, COUNT_STEP);
	now = percpu_counter_read_positive(&waiting->now);
	if (pages > 0 && now > READ_ONCE(waiting->peak))
		WRITE_ONCE(waiting->peak, now);
}

/**
 * waiting_run_end - account for the folios of a run
 * @run: the run, which is empty then
 *
 * Context: any; the run is the caller's alone.
 */
void waiting_run_end(struct waiting_run *run)
{
	if (!run->pages)
		return;
	count(&counts[zone_to_nid(run->zone) * MAX_NR_ZONES + zone_idx(run->zone)], run->pages);
	count(total(), run->pages);
	run->pages = 0;
}

/**
 * waiting_run_add - a folio begins or ceases to wait
 * @run: the folios of its zone that are yet to be accounted for; it may end
 * @folio: the folio
 * @pages: how many pages, negative when they cease to wait
 *
 * Context: any; the run is the caller's alone.
 */
void waiting_run_add(struct waiting_run *run, struct folio *folio, long pages)
{
	struct zone *zone = folio_zone(folio);

	if (run->zone != zone) {
		waiting_run_end(run);
		run->zone = zone;
	}
	run->pages += pages;
}

/**
 * waiting_pages - how many pages wait now
 *
 * Context: process; looks at all CPUs.
 * Return: the number of pages.
 */
unsigned long waiting_pages(void)
{
	count_deferred();
	return percpu_counter_sum_positive(&total()->now);
}

/**
 * waiting_too_much - whether a grace period should be expedited
 * @folio: one that has just begun to wait
 *
 * It is when more than waiting_limit_mib wait while the folio's zone has less
 * free memory than kswapd strives for; or four times as much in any case.
 *
 * Context: any.
 * Return: true if so.
 */
bool waiting_too_much(struct folio *folio)
{
	unsigned long limit = (unsigned long)READ_ONCE(waiting_limit_mib) << (20 - PAGE_SHIFT);
	unsigned long now = percpu_counter_read_positive(&total()->now);
	struct zone *zone = folio_zone(folio);

	if (now <= limit)
		return false;
	return now > PLENTY_FACTOR * limit ||
	       /* A boost of the watermark may come and go: it is a hint. */
	       zone_page_state(zone, NR_FREE_PAGES) < data_race(high_wmark_pages(zone));
}

static void show_count(struct seq_file *m, struct waiting_count *waiting, const char *where)
{
	seq_printf(m, "%s now %lld peak %lu\n", where,
		   percpu_counter_sum_positive(&waiting->now), READ_ONCE(waiting->peak));
}

/**
 * waiting_show_zones - one line for each zone with memory and one for the sum
 * @m: where to
 *
 * Context: process.
 */
void waiting_show_zones(struct seq_file *m)
{
	char where[32];
	int nid, zid;

	count_deferred();
	for_each_online_node(nid) {
		for (zid = 0; zid < MAX_NR_ZONES; zid++) {
			struct zone *zone = &NODE_DATA(nid)->node_zones[zid];

			if (!populated_zone(zone))
				continue;
			snprintf(where, sizeof(where), "node %d %s", nid, zone->name);
			show_count(m, &counts[nid * MAX_NR_ZONES + zid], where);
		}
	}
	show_count(m, total(), "total");
}

/**
 * waiting_init - allocate the counts
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int waiting_init(void)
{
	unsigned int i;

	nr_counts = nr_node_ids * MAX_NR_ZONES + 1;
	counts = kvcalloc(nr_counts, sizeof(*counts), GFP_KERNEL);
	if (!counts)
		return -ENOMEM;
	for (i = 0; i < nr_counts; i++) {
		if (percpu_counter_init(&counts[i].now, 0, GFP_KERNEL)) {
			nr_counts = i;
			waiting_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * waiting_exit - undo waiting_init()
 *
 * Context: module unload, after the last page was freed.
 */
void waiting_exit(void)
{
	while (nr_counts--)
		percpu_counter_destroy(&counts[nr_counts].now);
	kvfree(counts);
}
