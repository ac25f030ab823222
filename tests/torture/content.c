// SPDX-License-Identifier: GPL-2.0
/*
 * A file is an array of 8-byte words. The low six bytes of a word name the file
 * and the word's index and never change; the high two are both the generation,
 * so that a word torn between two writes still has two valid ones.
 */
#include <linux/printk.h>
#include <linux/string.h>

#include "torture.h"

#define NAME_MASK	GENMASK_ULL(47, 0)
/* Enough to see what it is that was read. */
#define COMPLAINTS	20
/* A byte may be older by less than half its range, and is then told from newer ones. */
#define TOLD_APART	100

/* Mostly not zero, unlike the holes. */
static u64 word_name(unsigned int id, unsigned long index)
{
	return (0x8000ULL | id) << 32 | 0x80800000ULL | index;
}

void make_page(u64 *words, unsigned int id, unsigned int page, u8 generation)
{
	u64 generations = (u64)generation << 56 | (u64)generation << 48;
	unsigned int i;

	for (i = 0; i < WORDS_IN_PAGE; i++)
		words[i] = generations | word_name(id, page * WORDS_IN_PAGE + i);
}

/* What a read that begins now may demand. */
void claim_pages(struct torture_file *file, struct claim *claim)
{
	/* Owners change it meanwhile: each page's is whole. */
	*claim = data_race(file->now);
	/* Before the bytes. Pairs with overwrite() and destroy(). */
	smp_mb();
}

/* Bytes wrap: right if less than half their range has passed since. */
static bool not_older(u8 generation, u8 oldest)
{
	return (s8)(generation - oldest) >= 0;
}

/* @aged: whether a generation byte tells what is older than @oldest. */
static bool word_is_right(u64 word, u64 name, u8 oldest, bool strict, bool aged)
{
	unsigned int byte;

	if (strict)
		return (word & NAME_MASK) == name &&
		       (!aged || (not_older(word >> 56, oldest) && not_older(word >> 48, oldest)));
	for (byte = 0; byte < 6; byte++) {
		u8 seen = word >> 8 * byte;

		if (seen && seen != (u8)(name >> 8 * byte))
			return false;
	}
	return true;
}

static void complain(struct torture_file *file, loff_t pos, u64 word, u8 oldest, bool strict)
{
	count_event(WRONG);
	if (atomic_long_read(&torture_events[WRONG]) > COMPLAINTS)
		return;
	pr_alert("torture: WRONG BYTE: file %pD (%u) offset %lld: %016llx, oldest generation %u, %s\n",
		 file->filp, file->id, pos, word, oldest, strict ? "strict" : "lenient");
}

/* The whole words of one page. Returns whether they are right. */
static bool check_words(struct torture_file *file, loff_t pos, const void *data, size_t len,
			u8 oldest, bool strict, bool aged)
{
	size_t at;
	u64 word;

	for (at = 0; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		if (!word_is_right(word, word_name(file->id, (pos + at) / sizeof(word)), oldest,
				   strict, aged)) {
			complain(file, pos + at, word, oldest, strict);
			return false;
		}
	}
	return true;
}

/* Complains if a read at @pos for @want bytes returned @len bytes that it may not. */
void check_read(struct torture_file *file, const struct claim *claim, loff_t pos,
		const void *data, size_t len, size_t want)
{
	size_t at, end;

	/* After the bytes. Pairs with destroy(). */
	smp_mb();
	for (at = 0; at < want; at = end) {
		unsigned int page = (pos + at) >> PAGE_SHIFT;
		bool strict = !(claim->sequence[page] & 1) &&
			      READ_ONCE(file->now.sequence[page]) == claim->sequence[page];
		u32 passed = READ_ONCE(file->now.generation[page]) - claim->generation[page];
		u8 oldest = claim->generation[page];

		end = min_t(size_t, want, (page + 1) * PAGE_SIZE - pos);
		if (strict)
			count_event(STRICT_PAGES);
		/* The size was whole, and so is the read, unless it was made to fail. */
		if (strict && len < end && !torture_inject) {
			complain(file, pos + len, 0, oldest, true);
			return;
		}
		if (at < len &&
		    !check_words(file, pos + at, data + at, min(len, end) - at, oldest, strict,
				 passed < TOLD_APART))
			return;
	}
}
