/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocol of refless as a model that spin explores whole: one folio, two
 * files that get it in turn, a reader of the first, grace periods, and the module
 * being loaded and unloaded all the time. tests/model.sh runs it, and again with
 * one guard taken away at a time.
 *
 * What holds in all states: a reader that passed its checks has bytes of its own
 * file, and no zeroes below the size it saw; the flag is set on a folio of the
 * page cache only; no free is deferred to a module that is gone.
 *
 * Memory order: writers change things under locks and by atomic operations, so
 * their steps are in order. The reader's loads are not: each may happen as soon
 * as those that the code orders before it have, by address or by acquire. A
 * switch that was thrown is seen by each CPU at a time of its own, the next grace
 * period's quiescent state at the latest. x86 keeps more order than either.
 *
 * To make it small enough for a test, it comes in two halves: -DSTAYS_LOADED has
 * no unloading, -DONE_SIZE no truncation. Without either it is a few minutes' work.
 */
#define FILE_A	0		/* the one that is read; it stays open */
#define FILE_B	1		/* another, which may be deleted while its folio is hot */
#define READER	2
#define NOBODY	3
#define ZEROES	4

mtype = { FREE, USED, WAITING };

/* The folio. Its bytes are two halves, of which a truncation takes the second. */
mtype state = FREE;
byte front = NOBODY, back = NOBODY;
bit uptodate, rcu_free;
byte references;

/* The files: is the folio in their page cache slot; the size of A, in halves. */
bit slot[2];
byte size = 2;

/* Switches, and who may still see what they were before. */
#ifdef STAYS_LOADED
bit defer_key = 1, defer_call = 1, reads_key = 1, read_call = 1, loaded = 1;
#else
bit defer_key, defer_call, reads_key, read_call, loaded;
#endif
bit defer_key_lag[3], defer_call_lag[3], reads_key_lag, read_call_lag;

/* Who is in a read-side section. */
bit in_section[3];
/* Grace periods: what is asked of the next one, what the current one will answer. */
bit sync_wanted, sync_running;
/* Was file B's folio flagged and has no grace period passed since then? */
bit flagged_lately, flagged_before;

#define throw_for_reader(key, value)	\
	atomic { key = value; key##_lag = 1 }
#define throw_for_all(key, value)	\
	atomic { key = value; key##_lag[0] = 1; key##_lag[1] = 1; key##_lag[2] = 1 }
#ifdef STAYS_LOADED
#define look_at(key, lag, seen)		seen = key
#else
#define look_at(key, lag, seen)		\
	if :: seen = key :: lag -> seen = !key fi
#endif

/* ---- the free path ---- */

inline give_to_allocator()
{
	atomic {
		front = NOBODY;
		back = NOBODY;
		uptodate = 0;
		rcu_free = 0;
		state = FREE
	}
}

inline put_folio(me)
{
	atomic {
		references--;
		last = references == 0
	}
	if
	:: !last
	:: last ->
#ifdef NO_GRACE_PERIOD
		give_to_allocator()
#else
		/* The key is looked at before the section begins, which the call is in. */
		look_at(defer_key, defer_key_lag[me], deferring);
		in_section[me] = 1;
		if
		:: deferring && rcu_free -> look_at(defer_call, defer_call_lag[me], deferring)
		:: else -> deferring = 0
		fi;
		if
		:: deferring ->
			/* Its code and its lists would be gone. */
			assert(loaded);
			state = WAITING
		:: else -> give_to_allocator()
		fi;
		in_section[me] = 0
#endif
	fi;
	atomic {
		last = 0;
		deferring = 0
	}
}

/* ---- grace periods ---- */

inline quiescent_state(cpu)
{
	atomic {
		!in_section[cpu];
		defer_key_lag[cpu] = 0;
		defer_call_lag[cpu] = 0
	}
}

proctype grace_periods()
{
	bit batch;

end:	do
	:: atomic {
		state == WAITING || sync_wanted || flagged_lately;
		batch = state == WAITING;
		sync_running = sync_wanted;
		sync_wanted = 0;
		flagged_before = flagged_lately;
		flagged_lately = 0
	   }
	   quiescent_state(FILE_A);
	   quiescent_state(FILE_B);
	   atomic {
		quiescent_state(READER);
		reads_key_lag = 0;
		read_call_lag = 0
	   }
	   if
	   :: batch -> give_to_allocator()
	   :: else
	   fi;
	   atomic {
		batch = 0;
		flagged_before = 0;
		sync_running = 0
	   }
	od
}

inline synchronize_rcu()
{
	/* One that is under way began too early. */
	sync_wanted = 1;
	!sync_wanted && !sync_running
}

/* ---- load and unload ---- */

#ifndef STAYS_LOADED
proctype module()
{
	do
	:: loaded = 1;
	   throw_for_all(defer_call, 1);
#ifdef CALL_ON_EARLY
	   throw_for_reader(read_call, 1);
#endif
switch_on:
	   throw_for_all(defer_key, 1);
#ifndef READS_ON_EARLY
	   synchronize_rcu();
#endif
#ifndef CALL_ON_EARLY
	   throw_for_reader(read_call, 1);
#endif
	   throw_for_reader(reads_key, 1);

	   throw_for_reader(reads_key, 0);
#ifndef CALL_OFF_LATE
	   throw_for_reader(read_call, 0);
#endif
#ifndef DEFERRAL_OFF_EARLY
	   synchronize_rcu();
#endif
	   throw_for_all(defer_key, 0);
#ifdef CALL_OFF_LATE
	   throw_for_reader(read_call, 0);
#endif
	   /* The parameter switched the reads off, and may switch them on again. */
	   if
	   :: goto switch_on
	   :: skip
	   fi;
	   throw_for_all(defer_call, 0);
#ifndef NO_LAST_GRACE_PERIOD
	   synchronize_rcu();
#endif
	   /* The drain of what waits. */
	   state != WAITING;
	   loaded = 0
	od
}
#endif

/* ---- the files ---- */

/* May a folio that its file loses be freed at once, flagged as it is? */
#if defined(EVICTION_TEST_WRONG)
#define may_free_at_once(file)	(file == FILE_A)
#elif defined(EVICTION_FREES_NEW)
#define may_free_at_once(file)	(file == FILE_B)
#else
#define may_free_at_once(file)	(file == FILE_B && !flagged_lately && !flagged_before)
#endif

proctype file(byte me)
{
	bit last, deferring;

end:	do
	:: atomic {
		state == FREE;
		state = USED;
		references = 1
	   }
	   slot[me] = 1;
	   atomic {
		/* What the disk has; zeroes beyond the end of the file. */
		front = me;
		back = (size == 2 -> me : ZEROES)
	   }
	   uptodate = 1;
	   if
	   :: /* Others read it, with references. */
	      atomic {
		rcu_free = 1;
		flagged_lately = flagged_lately || me == FILE_B
	      }
	   :: true
	   fi;
#ifndef ONE_SIZE
	   if
	   :: me == FILE_A && size == 1 ->
		back = FILE_A;
		size = 2
	   :: me == FILE_A && size == 2 -> size = 1
	   :: true
	   fi;
#endif
	   atomic {
		slot[me] = 0;
		if
		:: may_free_at_once(me) -> rcu_free = 0
		:: true
		fi
	   }
	   put_folio(me)
	od
}

/* ---- the reader ---- */

/* What the code orders before a load. */
#ifdef NO_ACQUIRE
#define after_flags	true
#else
#define after_flags	have_flags
#endif
#ifdef SIZE_EARLY
#define before_size	true
#else
#define before_size	after_flags
#endif
#ifdef NO_RELOAD
#define checks_passed	good_flags
#else
#define checks_passed	(good_flags && same_slot)
#endif

proctype reader()
{
	bit on, last, deferring;
	bit have_flags, have_slot, have_size, have_bytes;
	bit good_flags, same_slot;
	byte seen_size, seen_front, seen_back;

end:	do
	:: /* The key is looked at before the section begins. */
	   look_at(reads_key, reads_key_lag, on);
	   if
	   :: !on -> goto with_reference
	   :: else
	   fi;
	   in_section[READER] = 1;
	   look_at(read_call, read_call_lag, on);
	   if
	   :: !on || !slot[FILE_A] -> goto leave
	   :: on && slot[FILE_A]
	   fi;
	   do
	   :: !have_flags -> atomic {
		good_flags = uptodate && rcu_free;
		have_flags = 1
	      }
	   :: !have_slot && after_flags -> atomic {
		same_slot = slot[FILE_A];
		have_slot = 1
	      }
	   :: !have_size && before_size -> atomic {
		seen_size = size;
		have_size = 1
	      }
	   :: /* i_size_read() is an acquire, too. */
	      !have_bytes && have_size && after_flags -> atomic {
		seen_front = front;
		seen_back = back;
		have_bytes = 1
	      }
	   :: have_flags && have_slot && have_size && have_bytes -> break
	   od;
	   if
	   :: checks_passed ->
		/* These would be in the user's buffer now. */
		assert(seen_front == FILE_A);
		assert(seen_size == 1 || seen_back != ZEROES)
	   :: else
	   fi;
leave:	   skip;
	   d_step {
		in_section[READER] = 0;
		have_flags = 0;
		have_slot = 0;
		have_size = 0;
		have_bytes = 0;
		good_flags = 0;
		same_slot = 0;
		seen_size = 0;
		seen_front = 0;
		seen_back = 0
	   }
with_reference:
	   on = 0;
	   if
	   :: atomic {
		slot[FILE_A] && uptodate;
		references++
	      }
#ifdef FLAG_WITHOUT_REFERENCE
	      put_folio(READER);
#endif
	      if
	      :: atomic {
			/* The allocator would complain of a free page with a flag. */
			assert(state == USED);
			rcu_free = 1
		 }
	      :: true	/* not hot */
	      fi;
#ifndef FLAG_WITHOUT_REFERENCE
	      put_folio(READER)
#endif
	   :: true
	   fi
	od
}

init {
	atomic {
		run grace_periods();
#ifndef STAYS_LOADED
		run module();
#endif
		run file(FILE_A);
		run file(FILE_B);
		run reader()
	}
}
