/* SPDX-License-Identifier: GPL-2.0 */
/* Would folio_mark_accessed() still change anything? In words of mm/swap.c. */
#ifndef REFLESS_LRU_H
#define REFLESS_LRU_H

#include <linux/mm.h>
#include <linux/mm_inline.h>

#define LRU_GEN_HOT	(BIT(PG_referenced) | BIT(PG_workingset) | LRU_REFS_MASK)
#define LRU_CLASSIC_HOT	(BIT(PG_referenced) | BIT(PG_active))

/**
 * lru_would_learn - whether folio_mark_accessed() would change the folio
 * @flags: the folio's flags
 *
 * Ageing clears PG_referenced on both LRUs, so a hot folio's readers report to
 * the LRU again after each time it looked.
 *
 * Context: any.
 */
static __always_inline bool lru_would_learn(unsigned long flags)
{
	if (lru_gen_enabled())
		return (flags & LRU_GEN_HOT) != LRU_GEN_HOT && !(flags & BIT(PG_unevictable));
#ifdef CONFIG_PAGE_IDLE_FLAG
	if (flags & BIT(PG_idle))
		return true;
#endif
	if (flags & BIT(PG_unevictable))
		return !(flags & BIT(PG_referenced));
	return (flags & LRU_CLASSIC_HOT) != LRU_CLASSIC_HOT;
}

#endif /* REFLESS_LRU_H */
