/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM refless

#if !defined(REFLESS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define REFLESS_TRACE_H

#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/refless.h>
#include <linux/tracepoint.h>

#include "refless.h"

TRACE_DEFINE_ENUM(REFLESS_DRAIN_RECLAIM);
TRACE_DEFINE_ENUM(REFLESS_DRAIN_ISOLATION);
TRACE_DEFINE_ENUM(REFLESS_DRAIN_POISON);
TRACE_DEFINE_ENUM(DRAIN_OOM);
TRACE_DEFINE_ENUM(DRAIN_LIMIT);

/*
 * Fields are of C's own types: bpftrace knows no other in a kernel without BTF.
 */

/* A folio got PG_rcu_free: its next reads may do without a reference. */
TRACE_EVENT(refless_flag,
	    TP_PROTO(struct folio *folio, struct inode *inode),
	    TP_ARGS(folio, inode),
	TP_STRUCT__entry(__field(unsigned int, dev)
			 __field(unsigned long, ino)
			 __field(unsigned long, index)
			 __field(unsigned long, pages)
			 __field(unsigned long, pfn)
	),
	TP_fast_assign(__entry->dev = inode->i_sb->s_dev;
		       __entry->ino = inode->i_ino;
		       __entry->index = folio->index;
		       __entry->pages = folio_nr_pages(folio);
		       __entry->pfn = folio_pfn(folio);
	),
	TP_printk("dev=%d:%d ino=%lu index=%lu pages=%lu pfn=0x%lx",
		  MAJOR(__entry->dev), MINOR(__entry->dev), __entry->ino,
		  __entry->index, __entry->pages, __entry->pfn)
);

/* A CPU's deferred frees begin to wait for a grace period. */
TRACE_EVENT(refless_batch_queued,
	    TP_PROTO(unsigned long pages),
	    TP_ARGS(pages),
	TP_STRUCT__entry(__field(unsigned long, pages)
	),
	TP_fast_assign(__entry->pages = pages;
	),
	TP_printk("pages=%lu", __entry->pages)
);

/* It has ended and they were freed. No pages: a drain was there first. */
TRACE_EVENT(refless_batch_freed,
	    TP_PROTO(unsigned long pages, unsigned long age_us),
	    TP_ARGS(pages, age_us),
	TP_STRUCT__entry(__field(unsigned long, pages)
			 __field(unsigned long, age_us)
	),
	TP_fast_assign(__entry->pages = pages;
		       __entry->age_us = age_us;
	),
	TP_printk("pages=%lu age_us=%lu", __entry->pages, __entry->age_us)
);

/* An expedited grace period, for a drain, and the pages freed after it. */
TRACE_EVENT(refless_expedited,
	    TP_PROTO(unsigned long pages, unsigned long us),
	    TP_ARGS(pages, us),
	TP_STRUCT__entry(__field(unsigned long, pages)
			 __field(unsigned long, us)
	),
	TP_fast_assign(__entry->pages = pages;
		       __entry->us = us;
	),
	TP_printk("pages=%lu us=%lu", __entry->pages, __entry->us)
);

/* Somebody asked for the waiting pages before their grace period ended. */
TRACE_EVENT(refless_drain,
	    TP_PROTO(int cause, unsigned long pages),
	    TP_ARGS(cause, pages),
	TP_STRUCT__entry(__field(int, cause)
			 __field(unsigned long, pages)
	),
	TP_fast_assign(__entry->cause = cause;
		       __entry->pages = pages;
	),
	TP_printk("cause=%s pages=%lu",
		  __print_symbolic(__entry->cause,
				   { REFLESS_DRAIN_RECLAIM, "reclaim" },
				   { REFLESS_DRAIN_ISOLATION, "isolation" },
				   { REFLESS_DRAIN_POISON, "poison" },
				   { DRAIN_OOM, "oom" },
				   { DRAIN_LIMIT, "limit" }),
		  __entry->pages)
);

#endif /* REFLESS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
