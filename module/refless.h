/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of this module share. See DESIGN.md for how they fit. */
#ifndef REFLESS_PRIVATE_H
#define REFLESS_PRIVATE_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/refless.h>
#include <linux/types.h>

/* The hooks that this source is written for; a test build says it needs others. */
#ifdef REFLESS_TEST_ABI
#define WANTED_HOOK_ABI	REFLESS_TEST_ABI
#else
#define WANTED_HOOK_ABI	1
#if REFLESS_HOOK_ABI != WANTED_HOOK_ABI
#error "the kernel has hooks of another ABI: take hooks.patch and module from one version"
#endif
#endif

struct address_space;
struct kiocb;
struct iov_iter;
struct folio;
struct seq_file;
struct srcu_struct;
struct zone;

/* The hooks of drains that sleep enter the module under it. */
extern struct srcu_struct refless_drain_srcu;

/* attach.c: the hooks' keys and static calls */
int attach_hooks(void);
void detach_hooks(void);
void switch_reads(bool filemap, bool shmem);

/* reader.c: a read enters here */
size_t read_filemap(struct kiocb *iocb, struct iov_iter *to, loff_t last_pos);
size_t read_shmem(struct address_space *mapping, struct iov_iter *to, loff_t pos);

/* hot.c: which folios get PG_rcu_free */
bool flag_if_hot(struct folio *folio, loff_t pos, size_t bytes);

/* eviction.c: which flagged folios may be freed at once all the same */
void eviction_init(void);
void remember_flagging(struct address_space *mapping);
bool folio_removed(struct folio *folio, struct address_space *mapping);

/* deferred.c: where a flagged folio's free waits */
int deferred_init(void);
void deferred_exit(void);
bool defer_free(struct folio *folio, unsigned int order);
unsigned long free_deferred_expedited(bool workers_too);
void count_deferred(void);

/* poisoned.c: large folios hit by memory errors while they waited */
bool poisoned_large(struct folio *folio);
void free_page_by_page(struct folio *folio);

/* drain.c: who asks for the waiting pages before their grace period ends */
enum {
	/* Beside the hooks' causes, for the tracepoint. */
	DRAIN_OOM = REFLESS_DRAIN_POISON + 1,
	DRAIN_LIMIT,
};

int drain_init(void);
void drain_exit(void);
unsigned long drain_for(enum refless_drain_cause cause);

/* waiting.c: how much waits, and when that is too much */
int waiting_init(void);
void waiting_exit(void);
/* Folios of one zone that begin, or cease, to wait and are counted at once. */
struct waiting_run {
	struct zone *zone;
	long pages;
};

void waiting_run_add(struct waiting_run *run, struct folio *folio, long pages);
void waiting_run_end(struct waiting_run *run);
unsigned long waiting_pages(void);
bool waiting_too_much(struct folio *folio);
void waiting_show_zones(struct seq_file *m);

/* params.c: what can be changed at run time */
extern unsigned int waiting_limit_mib;
void params_default_limit(void);
void params_apply(void);
void params_ignore(void);

/* stats.c: what was done, in debugfs */
enum counted {
#define COUNTER(name, ...) COUNTED_##name,
#include "counters.h"
#undef COUNTER
	NR_COUNTED
};

/* Each CPU counts for itself, so that counting moves no cache line. */
struct stat_counts {
	u64 count[NR_COUNTED];
};
DECLARE_PER_CPU(struct stat_counts, stat_counts);

/* A reader that is not to count passes one NOP or jump. */
DECLARE_STATIC_KEY_TRUE(stats_key);
#define stats_on()		static_branch_likely(&stats_key)

#define count_stat(stat, n)	this_cpu_add(stat_counts.count[COUNTED_##stat], n)
#define stat_add(stat, n)	do { if (stats_on()) count_stat(stat, n); } while (0)
#define stat_inc(stat)		stat_add(stat, 1)
/* One branch for the two counters of a read that was served. */
#define stat_served(kind, bytes)					\
	do {								\
		if (stats_on()) {					\
			count_stat(kind##_reads, 1);			\
			count_stat(kind##_bytes, bytes);		\
		}							\
	} while (0)

void stats_init(void);
void stats_exit(void);
void switch_stats(bool on);

/* faults.c: in the test build only, ways to break the protocol on purpose */
#ifdef REFLESS_TEST_FAULTS
#define SWITCH(name, ...)	extern bool name
#define WINDOW(name, ...)	extern unsigned int name
void fault_wait(const unsigned int *window);
#define fault_window(name)	fault_wait(&(name))
#else
#define SWITCH(name, ...)	static const bool name __maybe_unused
#define WINDOW(name, ...)	static const unsigned int name __maybe_unused
static inline void fault_window(unsigned int us) { }
#endif
#include "faults.h"
#undef SWITCH
#undef WINDOW

#endif /* REFLESS_PRIVATE_H */
