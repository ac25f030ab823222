/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page cache slot of an index, found twice: once to learn the folio, once
 * to see whether it is still there. What xas_load() and xas_reload() do, without
 * the xa_state: half of a small read's instructions would go into it.
 */
#ifndef REFLESS_SLOT_H
#define REFLESS_SLOT_H

#include <linux/rcupdate.h>
#include <linux/xarray.h>

struct slot {
	/* The index's own slot. */
	void __rcu **own;
	/* The slot that holds the folio: the same one, or that which a sibling entry names. */
	void __rcu **canonical;
	/* That sibling entry, if there is one. */
	void *own_entry;
};

/**
 * slot_find - look up the slot of an index
 * @slot: where to remember it
 * @xa: the page cache's tree
 * @index: the page's index in the file
 *
 * Context: rcu_read_lock(), until the last use of @slot.
 * Return: what is in it: a folio, a value, an internal entry, or NULL.
 */
static __always_inline void *slot_find(struct slot *slot, struct xarray *xa, unsigned long index)
{
	void *entry = rcu_dereference_raw(xa->xa_head);
	void __rcu **at = &xa->xa_head;
	struct xa_node *node;

	if (unlikely(!xa_is_node(entry))) {
		slot->canonical = at;
		slot->own = at;
		return index ? NULL : entry;
	}

	node = xa_to_node(entry);
	/* Beyond the tree. Its height is that of the largest index in it. */
	if (unlikely(index >> node->shift > XA_CHUNK_MASK))
		return NULL;
	for (;;) {
		at = &node->slots[(index >> node->shift) & XA_CHUNK_MASK];
		entry = rcu_dereference_raw(*at);
		if (!node->shift || !xa_is_node(entry))
			break;
		node = xa_to_node(entry);
	}
	slot->own = at;
	if (unlikely(xa_is_sibling(entry))) {
		slot->own_entry = entry;
		at = &node->slots[xa_to_sibling(entry)];
		entry = rcu_dereference_raw(*at);
	}
	slot->canonical = at;
	return entry;
}

/**
 * slot_still_holds - look again
 * @slot: from slot_find()
 * @entry: what that returned
 *
 * A node that has left the tree since then has other entries in its slots: empty
 * or retry ones. A split gives the own slot a tail page.
 *
 * Context: the rcu_read_lock() of slot_find().
 * Return: whether the index still has that entry.
 */
static __always_inline bool slot_still_holds(const struct slot *slot, const void *entry)
{
	if (unlikely(slot->canonical != slot->own) &&
	    rcu_dereference_raw(*slot->own) != slot->own_entry)
		return false;
	return rcu_dereference_raw(*slot->canonical) == entry;
}

#endif /* REFLESS_SLOT_H */
