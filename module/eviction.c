// SPDX-License-Identifier: GPL-2.0
/*
 * Folios of an inode in eviction are freed at once, because no file holds it and
 * so nobody reads them. But a reader of another file may have looked the folio
 * up there, before it was freed unflagged and came to this inode. It would take
 * this inode's flag for its own file's if the folio came back to that. So a
 * grace period has to lie between the flag and such a free: it ends that
 * reader, whose section began before the folio was read, and flagged, here.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "refless.h"

/* Files that are remembered apart; two in one place only defer more. 16 KiB. */
#define LATELY_BITS	10

struct flagged_lately {
	/* Keeps the grace periods in order, which two CPUs flag folios in. */
	spinlock_t lock;
	/* Has to end before a folio that was flagged is freed at once. */
	unsigned long grace_period;
};

static struct flagged_lately flagged_lately[1 << LATELY_BITS];

static struct flagged_lately *place_of(struct address_space *mapping)
{
	return &flagged_lately[hash_ptr(mapping, LATELY_BITS)];
}

/**
 * remember_flagging - a folio of this file is about to get its flag
 * @mapping: the file's page cache
 *
 * Context: the rcu_read_lock() in which the flag is set; does not sleep.
 */
void remember_flagging(struct address_space *mapping)
{
	struct flagged_lately *place = place_of(mapping);

	spin_lock(&place->lock);
	WRITE_ONCE(place->grace_period, get_state_synchronize_rcu());
	spin_unlock(&place->lock);
}

/**
 * folio_removed - a flagged folio leaves the page cache
 * @folio: the folio; takes its flag away if its free need not wait
 * @mapping: the page cache it was in
 *
 * The inode's state, not mapping_exiting(), which f2fs set on open inodes up to 6.12.117.
 *
 * Context: rcu_read_lock(), the i_pages lock; does not sleep.
 * Return: whether the flag went.
 */
bool folio_removed(struct folio *folio, struct address_space *mapping)
{
	/* Whoever evicts set it before; the other bits may change under i_lock. */
	if (!(data_race(READ_ONCE(mapping->host->i_state)) & I_FREEING))
		return false;
	if (!poll_state_synchronize_rcu(READ_ONCE(place_of(mapping)->grace_period)) &&
	    !fault_skip_eviction_wait)
		return false;
	folio_clear_rcu_free(folio);
	return true;
}

/**
 * eviction_init - before a folio is flagged
 *
 * Context: module load.
 */
void eviction_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flagged_lately); i++) {
		spin_lock_init(&flagged_lately[i].lock);
		flagged_lately[i].grace_period = get_state_synchronize_rcu();
	}
}
