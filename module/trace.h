/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM refless

#if !defined(REFLESS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define REFLESS_TRACE_H

#include <linux/refless.h>
#include <linux/tracepoint.h>

TRACE_DEFINE_ENUM(REFLESS_DRAIN_RECLAIM);
TRACE_DEFINE_ENUM(REFLESS_DRAIN_ISOLATION);
TRACE_DEFINE_ENUM(REFLESS_DRAIN_POISON);

TRACE_EVENT(refless_drain,
	    TP_PROTO(enum refless_drain_cause cause, unsigned long pages),
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
				   { REFLESS_DRAIN_POISON, "poison" }),
		  __entry->pages)
);

#endif /* REFLESS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
