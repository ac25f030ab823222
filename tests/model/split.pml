/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A folio of two pages that is split while a reader copies several pages from
 * it: the second page becomes a folio of its own and is truncated and reused. The
 * third page of memory never was the file's. tests/model.sh explores it whole.
 *
 * What holds in all states: the reader has the pages of its file, each where it
 * belongs. Memory order is treated as in refless.pml.
 */
#define OTHER	9	/* what is not the file's */

mtype = { NOTHING, WHOLE, TAIL };

/* Memory: which page of the file is in it. */
byte bytes[3] = OTHER;
/* The page cache slots; the third page's never holds one of these folios. */
mtype slot[3] = NOTHING;

/* The flags of the folio, before and after the split, and of the page split off. */
bit head, rcu_free, tail_rcu_free;
byte references;
/* The order is kept in the second page's flags, which a split overwrites. */
bit order_overwritten;

bit in_section;

inline grace_period()
{
	!in_section
}

proctype folio_life()
{
end:	do
	:: d_step {
		bytes[0] = 0;
		bytes[1] = 1;
		head = 1;
		rcu_free = 0;
		tail_rcu_free = 0;
		order_overwritten = 0;
		references = 1
	   }
	   d_step {
		slot[0] = WHOLE;
		slot[1] = WHOLE
	   }
	   /* The split, which freezes the count. */
	   atomic {
		references == 1;
		references = 0
	   }
#ifndef SPLIT_LOSES_FLAG
	   tail_rcu_free = rcu_free;
#endif
	   order_overwritten = 1;
	   slot[1] = TAIL;
	   head = 0;
	   references = 1;
	   /* A truncation. */
	   slot[1] = NOTHING;
	   if
	   :: tail_rcu_free -> grace_period()
	   :: else
	   fi;
	   bytes[1] = OTHER;
	   atomic {
		references == 1;
		references = 0;
		slot[0] = NOTHING
	   }
	   if
	   :: rcu_free -> grace_period()
	   :: else
	   fi;
	   bytes[0] = OTHER
	od
}

proctype flagger()
{
end:	do
	:: atomic {
		slot[0] == WHOLE && references > 0;
		references++
	   }
	   rcu_free = 1;
	   references--
	od
}

proctype reader()
{
	byte first, last, page, order;
	mtype entry;
	bit good_flags, seen_head;

end:	do
	:: if
	   :: first = 0
	   :: first = 1
	   fi;
	   if
	   :: last = first
	   :: last = first + 1
	   :: last = 2
	   fi;
	   in_section = 1;
	   entry = slot[first];
	   if
	   :: entry == NOTHING -> goto leave
	   :: entry == TAIL ->
		good_flags = tail_rcu_free;
		last = first
	   :: entry == WHOLE -> atomic {
		good_flags = rcu_free;
		seen_head = head
	      }
	   fi;
	   if
	   :: !good_flags -> goto leave
	   :: good_flags
	   fi;
	   if
	   :: seen_head && last > first ->
		/* bytes_in_folio() */
		if
		:: order_overwritten -> order = 0
		:: order = 1
		:: order_overwritten -> order = 2
		fi;
		if
		:: last >= (1 << order) -> last = (1 << order) - 1
		:: else
		fi;
#ifndef NO_LAST_SLOT
		if
		:: last > first && slot[last] != WHOLE -> last = first
		:: else
		fi;
#endif
		if
		:: last < first -> last = first
		:: else
		fi
	   :: !seen_head -> last = first
	   :: else
	   fi;
	   if
	   :: slot[first] != entry -> goto leave
	   :: slot[first] == entry
	   fi;
	   page = first;
	   do
	   :: page <= last ->
		assert(bytes[page] == page);
		page++
	   :: page > last -> break
	   od;
leave:	   skip;
	   d_step {
		in_section = 0;
		first = 0;
		last = 0;
		page = 0;
		order = 0;
		entry = NOTHING;
		good_flags = 0;
		seen_head = 0
	   }
	od
}

init {
	atomic {
		run folio_life();
		run flagger();
		run reader()
	}
}
