// SPDX-License-Identifier: GPL-2.0
/*
 * Large folios that were hit by a memory error while they waited.
 *
 * The allocator keeps a poisoned page out of its lists when the page is freed by
 * itself, not when it is part of a larger block. memory_failure() would split a
 * folio in use and take a page of a free block out of it; a folio that waits is
 * neither, so it is taken apart here, before the allocator gets it.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/page_ref.h>

#include "refless.h"

/**
 * poisoned_large - does a large folio contain a poisoned page?
 * @folio: a folio without references, whose grace period is over
 *
 * PG_has_hwpoisoned does not tell: memory_failure() sets it once it has got a
 * reference. The allocator looks at each of these pages next, in any case.
 *
 * Context: any.
 * Return: true if so; false for a single page, which the allocator itself keeps out.
 */
bool poisoned_large(struct folio *folio)
{
	long i, nr = folio_nr_pages(folio);

	if (nr == 1)
		return false;
	for (i = 0; i < nr; i++)
		if (PageHWPoison(folio_page(folio, i)))
			return true;
	return false;
}

/**
 * free_page_by_page - take a large folio apart and free its pages one by one
 * @folio: a folio without references, whose grace period is over
 *
 * The allocator drops the poisoned ones, as memory_failure() expects it to.
 *
 * Context: process.
 */
void free_page_by_page(struct folio *folio)
{
	unsigned int order = folio_order(folio);
	struct page *page = &folio->page;
	unsigned long i;

	/* What prep_compound_page() and the life as a folio left in the tails. */
	set_mask_bits(&page[1].flags, PAGE_FLAGS_SECOND, 0UL);
	for (i = 1; i < 1UL << order; i++) {
		page[i].mapping = NULL;
		clear_compound_head(page + i);
	}
	ClearPageHead(page);

	init_page_count(page);
	split_page(page, order);
	for (i = 0; i < 1UL << order; i++)
		__free_page(page + i);
}
