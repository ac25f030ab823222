// SPDX-License-Identifier: GPL-2.0
/*
 * Which folios get PG_rcu_free: those that reads keep coming back to. Two kinds
 * of evidence count. The LRU has seen all the accesses it can record; or, for
 * reads of which the LRU is not told (the same folio again through one file, the
 * middle of a tmpfs page), this CPU has seen reads go back in it a few times.
 * Data that is streamed once shows neither.
 */
#include <linux/hash.h>
#include <linux/jump_label.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>

#include "lru.h"
#include "refless.h"
#include "trace.h"

/* Reads that went back before a folio is hot: what it takes to fill MGLRU's tiers. */
#define REREADS_OF_HOT		4
/* Folios whose re-reads a CPU remembers; a few readers alternate on one CPU. */
#define REREADS_BITS		4

/* A lost update or a folio that was freed since then only costs a wrong guess. */
struct reread {
	struct folio *folio;
	loff_t end;
	unsigned int count;
};

static DEFINE_PER_CPU(struct reread [1 << REREADS_BITS], rereads);

static bool reread_often(struct folio *folio, loff_t pos, size_t bytes)
{
	struct reread *seen = get_cpu_ptr(rereads);
	bool often = false;

	seen += hash_ptr(folio, REREADS_BITS);
	if (seen->folio != folio) {
		seen->folio = folio;
		seen->count = 0;
	} else if (pos < seen->end) {
		often = ++seen->count >= REREADS_OF_HOT;
	}
	seen->end = pos + bytes;
	put_cpu_ptr(rereads);
	return often;
}

/*
 * shmem marks a folio once for each page read, so one pass over a large folio
 * fills its tiers; only a read of its first page tells that reads came back.
 */
static bool lru_knows_it_is_hot(struct folio *folio, unsigned long flags, loff_t pos)
{
	if (lru_would_learn(flags))
		return false;
	return !folio_test_large(folio) || !folio_test_swapbacked(folio) ||
	       pos >> PAGE_SHIFT == folio->index;
}

/*
 * A flag on a folio of the other kind would defer its free for nothing. A switch
 * meanwhile only makes this a wrong guess.
 */
static bool reads_are_on(unsigned long flags)
{
	if (flags & BIT(PG_swapbacked))
		return static_key_enabled(&refless_shmem_key);
	return static_key_enabled(&refless_filemap_key);
}

/**
 * flag_if_hot - decide whether a folio's next reads may do without a reference
 * @folio: a folio of the page cache that was read from
 * @pos: from where in the file, in bytes
 * @bytes: how many bytes
 *
 * The caller's reference keeps the folio from being freed before the flag is
 * seen by the free path.
 *
 * Context: rcu_read_lock(), a reference held on @folio. Does not sleep.
 * Return: whether the folio carries the flag.
 */
bool flag_if_hot(struct folio *folio, loff_t pos, size_t bytes)
{
	unsigned long flags = READ_ONCE(folio->flags);
	struct address_space *mapping;

	if (flags & BIT(PG_rcu_free))
		return true;
	fault_window(fault_flag_window_us);
	/* None: it was truncated, or is on its way to swap. */
	mapping = READ_ONCE(folio->mapping);
	if (!mapping && !fault_skip_mapping)
		return false;
	if (!(flags & BIT(PG_uptodate)) || flags & BIT(PG_hwpoison) || !reads_are_on(flags))
		return false;
	if (!lru_knows_it_is_hot(folio, flags, pos) && !reread_often(folio, pos, bytes))
		return false;
	remember_flagging(mapping);
	folio_set_rcu_free(folio);
	stat_inc(folios_flagged);
	trace_refless_flag(folio, mapping->host);
	return true;
}
