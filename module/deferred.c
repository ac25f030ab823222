// SPDX-License-Identifier: GPL-2.0
/*
 * Where the free of a flagged folio waits for a grace period.
 *
 * A folio's way: its last reference goes, free_pages_prepare() offers it to
 * defer_free(), it joins the "filling" list of this CPU; with the next batch it
 * moves to "waiting"; the batch's grace period ends and its worker gives it to
 * the allocator. One callback serves a whole batch, and a CPU has at most one
 * under way. A drain takes both lists of all CPUs and waits for an expedited
 * grace period instead.
 *
 * Lock order: drain_mutex, then deferred.lock, which is taken with interrupts
 * off, because frees come from interrupts too.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pagevec.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "refless.h"
#include "trace.h"

/* How many folios join a list between two looks at the limit. */
#define LIMIT_CHECK_FOLIOS	32

struct deferred {
	/* Over all of the below; contended only by drains and migrated workers. */
	spinlock_t lock;
	struct list_head filling;
	struct list_head waiting;
	/* Those of "filling" that are yet to be counted as waiting. */
	struct waiting_run uncounted;
	/* What tracepoints tell: pages in "filling", and since when either is not empty. */
	unsigned long filling_pages;
	u64 filling_since_ns;
	u64 waiting_since_ns;
	/* A grace period for "waiting" is under way or its worker has yet to run. */
	bool batch_under_way;
	unsigned int folios_since_check;
	struct rcu_work batch_done;
};

static DEFINE_PER_CPU(struct deferred, deferred_frees);
static DEFINE_MUTEX(drain_mutex);
static struct workqueue_struct *free_workqueue;
static struct work_struct limit_work;

static unsigned long us_since(u64 ns)
{
	return (ktime_get_ns() - ns) / NSEC_PER_USEC;
}

/* A poisoned page that waits keeps its mark: the flag goes by an atomic operation. */
static unsigned long free_list(struct list_head *list)
{
	struct folio_batch batch;
	struct waiting_run run = { };
	struct folio *folio, *next;
	unsigned long pages = 0;

	folio_batch_init(&batch);
	list_for_each_entry_safe(folio, next, list, lru) {
		long nr = folio_nr_pages(folio);

		waiting_run_add(&run, folio, -nr);
		pages += nr;
		folio_clear_rcu_free(folio);
		if (unlikely(poisoned_large(folio)) && !fault_free_poisoned) {
			free_page_by_page(folio);
			continue;
		}
		if (!folio_batch_add(&batch, folio)) {
			free_unref_folios(&batch);
			cond_resched();
		}
	}
	if (folio_batch_count(&batch))
		free_unref_folios(&batch);
	waiting_run_end(&run);
	return pages;
}

/* Under deferred->lock. Returns how many pages need a grace period now. */
static unsigned long next_batch(struct deferred *deferred)
{
	unsigned long pages = deferred->filling_pages;

	lockdep_assert_held(&deferred->lock);
	if (deferred->batch_under_way || list_empty(&deferred->filling))
		return 0;
	waiting_run_end(&deferred->uncounted);
	list_splice_tail_init(&deferred->filling, &deferred->waiting);
	deferred->filling_pages = 0;
	deferred->waiting_since_ns = deferred->filling_since_ns;
	deferred->batch_under_way = true;
	return pages;
}

static void start_batch(struct deferred *deferred, unsigned long pages)
{
	stat_inc(grace_periods);
	trace_refless_batch_queued(pages);
	/* By call_rcu_hurry(): a lazy callback may wait for 10 seconds. */
	queue_rcu_work(free_workqueue, &deferred->batch_done);
}

static void batch_done(struct work_struct *work)
{
	struct deferred *deferred = container_of(to_rcu_work(work), struct deferred, batch_done);
	unsigned long freed, next;
	LIST_HEAD(done);
	u64 since;

	spin_lock_irq(&deferred->lock);
	list_splice_init(&deferred->waiting, &done);
	since = deferred->waiting_since_ns;
	deferred->batch_under_way = false;
	next = next_batch(deferred);
	spin_unlock_irq(&deferred->lock);

	if (next)
		start_batch(deferred, next);
	freed = free_list(&done);
	trace_refless_batch_freed(freed, us_since(since));
}

static void limit_passed(struct work_struct *work)
{
	unsigned long pages = free_deferred_expedited(false);

	trace_refless_drain(DRAIN_LIMIT, pages);
	stat_inc(drains_limit);
	stat_add(drained_limit, pages);
}

/**
 * defer_free - take over a flagged folio whose last reference is gone
 * @folio: the folio; it is in no page cache, no LRU list and no memory cgroup
 * @order: its order
 *
 * Context: rcu_read_lock(); any, interrupts included. Does not sleep.
 * Return: true if the folio now waits here; false if the caller frees it at once.
 */
bool defer_free(struct folio *folio, unsigned int order)
{
	struct deferred *deferred = raw_cpu_ptr(&deferred_frees);
	unsigned long irqflags, batch;
	bool check;

	/*
	 * soft_offline_page() drops the last reference of a page it marked and
	 * takes one again at once; such a page never reaches the allocator. It is
	 * never a large folio.
	 */
	if (unlikely(folio_test_hwpoison(folio)) && !order && !fault_defer_poisoned)
		return false;
	if (fault_skip_deferral)
		return false;
	fault_window(fault_free_window_us);

	stat_add(pages_deferred, 1L << order);

	spin_lock_irqsave(&deferred->lock, irqflags);
	if (list_empty(&deferred->filling))
		deferred->filling_since_ns = ktime_get_ns();
	list_add_tail(&folio->lru, &deferred->filling);
	deferred->filling_pages += 1L << order;
	waiting_run_add(&deferred->uncounted, folio, 1L << order);
	batch = next_batch(deferred);
	check = ++deferred->folios_since_check >= LIMIT_CHECK_FOLIOS || order;
	if (check) {
		deferred->folios_since_check = 0;
		waiting_run_end(&deferred->uncounted);
	}
	spin_unlock_irqrestore(&deferred->lock, irqflags);

	if (batch)
		start_batch(deferred, batch);
	if (check && waiting_too_much(folio))
		queue_work(free_workqueue, &limit_work);
	return true;
}

/**
 * count_deferred - bring the counts of waiting pages up to date
 *
 * Context: process.
 */
void count_deferred(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct deferred *deferred = per_cpu_ptr(&deferred_frees, cpu);

		/* Most often there is nothing, and no lock to be taken for it. */
		if (!data_race(deferred->uncounted.pages) || fault_skip_count)
			continue;
		spin_lock_irq(&deferred->lock);
		waiting_run_end(&deferred->uncounted);
		spin_unlock_irq(&deferred->lock);
	}
}

static void take_all(struct list_head *taken)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct deferred *deferred = per_cpu_ptr(&deferred_frees, cpu);

		spin_lock_irq(&deferred->lock);
		waiting_run_end(&deferred->uncounted);
		list_splice_tail_init(&deferred->waiting, taken);
		list_splice_tail_init(&deferred->filling, taken);
		deferred->filling_pages = 0;
		spin_unlock_irq(&deferred->lock);
	}
}

/* Batches whose grace period has ended, and which their workers are freeing now. */
static void wait_for_workers(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&deferred_frees, cpu)->batch_done.work);
}

/**
 * free_deferred_expedited - give all waiting pages to the allocator soon
 * @workers_too: also wait for the batches that workers are freeing already
 *
 * Whoever comes second waits for the first, whose pages it may be after.
 *
 * Context: process; may sleep, a few milliseconds for the grace period. Holds
 * and takes no lock that an allocation waits for; allocates nothing.
 * Return: pages freed by this call.
 */
unsigned long free_deferred_expedited(bool workers_too)
{
	unsigned long pages = 0;
	LIST_HEAD(taken);
	u64 began;

	mutex_lock(&drain_mutex);
	take_all(&taken);
	if (!list_empty(&taken)) {
		stat_inc(expedited);
		began = ktime_get_ns();
		synchronize_rcu_expedited();
		pages = free_list(&taken);
		trace_refless_expedited(pages, us_since(began));
	}
	mutex_unlock(&drain_mutex);
	if (workers_too)
		wait_for_workers();
	return pages;
}

/**
 * deferred_init - make room for waiting folios
 *
 * Context: module load.
 * Return: 0 or -ENOMEM.
 */
int deferred_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct deferred *deferred = per_cpu_ptr(&deferred_frees, cpu);

		spin_lock_init(&deferred->lock);
		INIT_LIST_HEAD(&deferred->filling);
		INIT_LIST_HEAD(&deferred->waiting);
		INIT_RCU_WORK(&deferred->batch_done, batch_done);
	}
	INIT_WORK(&limit_work, limit_passed);
	/* WQ_MEM_RECLAIM: memory is what its workers bring, so they must not wait for it. */
	free_workqueue = alloc_workqueue("refless_free", WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	return free_workqueue ? 0 : -ENOMEM;
}

/**
 * deferred_exit - free what still waits, and wait for those who free
 *
 * Context: module unload, after the hooks are detached: nothing new comes in.
 */
void deferred_exit(void)
{
	free_deferred_expedited(false);
	/* A worker may be about to start one more batch, which is empty by now. */
	wait_for_workers();
	/* The callbacks of batches under way; the workers they queue end below. */
	rcu_barrier();
	destroy_workqueue(free_workqueue);
}
