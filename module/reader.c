// SPDX-License-Identifier: GPL-2.0
/*
 * Copy from the page cache without a reference on the folio.
 *
 * Everything here runs inside the rcu_read_lock() of the hook. A folio that was
 * seen with PG_rcu_free and, after that, in its slot is not freed before that
 * section ends (see deferred.c), so its memory can be copied from. Whatever
 * does not fit ends the fast path: the caller goes on where this stopped, with
 * a reference, and may come back here for the next folio.
 */
#include <linux/fault-inject-usercopy.h>
#include <linux/fs.h>
#include <linux/instrumented.h>
#include <linux/kcsan-checks.h>
#include <linux/mm.h>
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "lru.h"
#include "refless.h"
#include "slot.h"

/*
 * The most that one call copies, in bytes: about 25 us at 10 GB/s. The caller's
 * loop calls cond_resched() between calls, and the grace period may advance.
 */
#define READ_CHUNK	(256 * 1024)

/*
 * A folio may be copied from with all of the first set, none of the others. What
 * would be a readahead mark is the reclaim mark on tmpfs, and may stay for long.
 */
#define FLAGS_WANTED	(BIT(PG_uptodate) | BIT(PG_rcu_free))
#define FLAGS_REFUSED	(BIT(PG_readahead) | BIT(PG_hwpoison))
#define SHMEM_REFUSED	BIT(PG_hwpoison)

struct source {
	struct address_space *mapping;
	loff_t pos;
	/* Where the file's previous read ended; shmem keeps no such position. */
	loff_t last_pos;
	bool shmem;
};

static noinline void count_fallback(unsigned long flags)
{
	if (!(flags & BIT(PG_rcu_free)))
		stat_inc(fallback_unflagged);
	else
		stat_inc(fallback_state);
}

/*
 * Would the path with a reference call folio_mark_accessed()? filemap_read()
 * does for each folio but the one that the file's last read ended in, shmem
 * for each page whose beginning is read.
 */
static bool would_mark_accessed(const struct source *src, struct folio *folio,
				unsigned long flags, size_t len)
{
	unsigned int shift = PAGE_SHIFT;

	if (src->shmem)
		return offset_in_page(src->pos) == 0 ||
		       offset_in_page(src->pos) + len > PAGE_SIZE;
	if (flags & BIT(PG_head))
		/* A split may make this order nonsense: that costs an accuracy of the LRU. */
		shift += data_race(READ_ONCE(folio->_flags_1)) & 0xf;
	return src->pos >> shift != (src->last_pos - 1) >> shift;
}

/*
 * How far can one copy go beyond the page at @index? The order is only a hint:
 * a split that is going on may have scribbled over it. That the last page's
 * slot holds the folio too is what makes the range its own; so the caller
 * reloads its own slot after this.
 */
static noinline size_t bytes_in_folio(struct address_space *mapping, struct folio *folio,
				      pgoff_t index, size_t offset, size_t len)
{
	pgoff_t last = index + ((offset + len - 1) >> PAGE_SHIFT);
	unsigned long flags_1;
	struct slot slot;
	pgoff_t end;

	fault_window(fault_order_window_us);
	/* Stored plainly by a split; the last slot tells. */
	flags_1 = data_race(READ_ONCE(folio->_flags_1));
	end = READ_ONCE(folio->index) + BIT(flags_1 & 0xf);
	if (last >= end)
		last = end - 1;
	/* A frozen reference count is a split in progress. */
	if (last <= index || !folio_ref_count(folio) ||
	    (flags_1 & BIT(PG_has_hwpoisoned) && !fault_skip_poison))
		return PAGE_SIZE - offset;
	/* The order and the poison mark come before the slot that vouches for them. */
	smp_rmb();
	if (slot_find(&slot, &mapping->i_pages, last) != folio && !fault_skip_last_slot)
		return PAGE_SIZE - offset;
	return min(len, ((last - index + 1) << PAGE_SHIFT) - offset);
}

/* Copies with page faults off; a short count means that a page has to be faulted in. */
static __always_inline size_t copy_to_user_part(void __user *to, const void *from, size_t len)
{
	size_t left;

	if (should_fail_usercopy() || !access_ok(to, len))
		return 0;
	/* Whoever writes the file meanwhile races with this copy as with the usual one. */
	kcsan_disable_current();
	instrument_copy_to_user(to, from, len);
	kcsan_enable_current();
	pagefault_disable();
	left = raw_copy_to_user(to, from, len);
	pagefault_enable();
	return len - left;
}

/* iovec: one segment a call. Kernel buffers never fault. */
static noinline size_t copy_to_other_iter(struct iov_iter *to, struct page *page,
					  size_t offset, size_t len)
{
	if (!iter_is_iovec(to))
		return copy_page_to_iter_nofault(page, offset, min(len, PAGE_SIZE - offset), to);

	/* Steps over segments of no length. */
	iov_iter_advance(to, 0);
	len = min(len, iter_iov_len(to));
	len = copy_to_user_part(iter_iov_addr(to), page_address(page) + offset, len);
	iov_iter_advance(to, len);
	return len;
}

static __always_inline size_t copy_to(struct iov_iter *to, struct page *page,
				      size_t offset, size_t len)
{
	if (unlikely(!iter_is_ubuf(to)))
		return copy_to_other_iter(to, page, offset, len);

	len = copy_to_user_part(to->ubuf + to->iov_offset, page_address(page) + offset, len);
	to->iov_offset += len;
	to->count -= len;
	return len;
}

/* Copies from one folio. Returns the bytes copied; 0 after counting why not. */
static __always_inline size_t read_from_folio(const struct source *src, struct iov_iter *to)
{
	struct address_space *mapping = src->mapping;
	pgoff_t index = src->pos >> PAGE_SHIFT;
	size_t offset = offset_in_page(src->pos);
	size_t len = iov_iter_count(to);
	unsigned long flags, refused;
	struct folio *folio;
	struct page *page;
	struct slot slot;
	size_t copied;
	loff_t left;

	folio = slot_find(&slot, &mapping->i_pages, index);
	/* Values, retry and zero entries have a low bit set. */
	if (unlikely(!folio || (unsigned long)folio & 3)) {
		stat_inc(fallback_absent);
		return 0;
	}
	fault_window(fault_lookup_window_us);

	/*
	 * Pairs with the removal of the folio from the slot before its reuse: if
	 * the flags are those of its next life, the reload below sees another slot.
	 * Between its lives the flags are stored plainly.
	 */
	flags = data_race(smp_load_acquire(&folio->flags));
	refused = src->shmem ? SHMEM_REFUSED : FLAGS_REFUSED;
	if (fault_skip_poison)
		refused &= ~BIT(PG_hwpoison);
	if (unlikely((flags & (FLAGS_WANTED | refused)) != FLAGS_WANTED)) {
		count_fallback(flags);
		return 0;
	}

	page = &folio->page;
	if (unlikely(flags & BIT(PG_head))) {
		/* Right even if the folio is being split: a page keeps its index. */
		page = folio_page(folio, index - READ_ONCE(folio->index));
		if (offset + len > PAGE_SIZE)
			len = bytes_in_folio(mapping, folio, index, offset, len);
	} else if (offset + len > PAGE_SIZE) {
		len = PAGE_SIZE - offset;
	}

	if (unlikely(lru_would_learn(flags)) && would_mark_accessed(src, folio, flags, len)) {
		stat_inc(fallback_lru);
		return 0;
	}

	fault_window(fault_reload_window_us);
	/* After the flags: what was in the slot before them may be in it no more. */
	if (unlikely(!slot_still_holds(&slot, folio)) && !fault_skip_reload) {
		stat_inc(fallback_moved);
		return 0;
	}
	/* A split stores a tail's flags plainly, and leaves this one as it is. */
	if (unlikely(flags & BIT(PG_head) && data_race(PageHWPoison(page))) &&
	    !fault_skip_poison) {
		stat_inc(fallback_state);
		return 0;
	}

	/* After uptodate, so that bytes that a truncation zeroed are not shown. */
	left = i_size_read(mapping->host) - src->pos;
	if (unlikely((loff_t)len > left)) {
		if (left <= 0) {
			stat_inc(fallback_eof);
			return 0;
		}
		len = left;
	}

	fault_window(fault_copy_window_us);
	copied = copy_to(to, page, offset, len);
	if (unlikely(!copied))
		stat_inc(fallback_fault);
	return copied;
}

static __always_inline size_t read_folios(struct source *src, struct iov_iter *to)
{
	size_t done = 0, copied;

	do {
		copied = read_from_folio(src, to);
		done += copied;
		src->pos += copied;
		src->last_pos = src->pos;
	} while (copied && unlikely(iov_iter_count(to)) && done < READ_CHUNK);
	return done;
}

/* flush_dcache_folio() may sleep or be dear: leave such mappings to the caller. */
static __always_inline bool needs_dcache_flush(struct address_space *mapping)
{
	return ARCH_IMPLEMENTS_FLUSH_DCACHE_PAGE && mapping_writably_mapped(mapping);
}

/**
 * read_filemap - serve part of a read for filemap_read()
 * @iocb: the read; its position is advanced by what was copied
 * @to: where to; advanced too. Its count is not zero.
 * @last_pos: where the file's previous read ended
 *
 * Context: rcu_read_lock(). Does not sleep, takes no lock, no page fault.
 * Return: bytes copied, at most READ_CHUNK and a folio. With 0 the caller has to
 * take the next step with a reference.
 */
size_t read_filemap(struct kiocb *iocb, struct iov_iter *to, loff_t last_pos)
{
	struct source src = {
		.mapping = iocb->ki_filp->f_mapping,
		.pos = iocb->ki_pos,
		.last_pos = last_pos,
	};
	size_t done;

	if (needs_dcache_flush(src.mapping))
		return 0;
	/* filemap_get_pages() ends a long read of a task that is being killed. */
	if (unlikely(iov_iter_count(to) > READ_CHUNK) && fatal_signal_pending(current) &&
	    !fault_skip_signal)
		return 0;
	done = read_folios(&src, to);
	if (likely(done)) {
		iocb->ki_pos += done;
		stat_served(filemap, done);
	}
	return done;
}

/**
 * read_shmem - serve part of a read for shmem_file_read_iter()
 * @mapping: the file's page cache
 * @to: where to; advanced by what was copied
 * @pos: from where in the file, in bytes
 *
 * Context and return value are those of read_filemap().
 */
size_t read_shmem(struct address_space *mapping, struct iov_iter *to, loff_t pos)
{
	struct source src = {
		.mapping = mapping,
		.pos = pos,
		.shmem = true,
	};
	size_t done;

	if (unlikely(!iov_iter_count(to)) || needs_dcache_flush(src.mapping))
		return 0;
	done = read_folios(&src, to);
	if (likely(done))
		stat_served(tmpfs, done);
	return done;
}
