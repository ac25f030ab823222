/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Of the test build: switches that take a guard away, and moments that can be
 * stretched. A parameter each. Included by those who define SWITCH() and WINDOW().
 */
SWITCH(fault_skip_reload, "Do not look at the slot again after the flags");
SWITCH(fault_skip_deferral, "Free flagged folios at once");
SWITCH(fault_skip_last_slot, "Believe a large folio's order");
SWITCH(fault_skip_poison, "Copy from poisoned pages");
SWITCH(fault_skip_signal, "Finish long reads of killed tasks");
SWITCH(fault_skip_drain, "Free nothing when the kernel asks for it");
SWITCH(fault_skip_eviction_wait, "Free an evicted file's folios at once, however new their flags");
SWITCH(fault_skip_mapping, "Flag folios that have left the page cache");
SWITCH(fault_skip_count, "Do not bring the counts of waiting pages up to date");
SWITCH(fault_skip_stop_wait, "Do not wait for frees under way when deferral stops");
SWITCH(fault_defer_poisoned, "Defer the free of poisoned pages too");
SWITCH(fault_free_poisoned, "Free poisoned large folios as a whole");

WINDOW(fault_lookup_window_us, "after the look-up, before the flags");
WINDOW(fault_order_window_us, "before a large folio's order is read");
WINDOW(fault_reload_window_us, "after the flags, before the slot is looked at again");
WINDOW(fault_copy_window_us, "after the checks, before the copy");
WINDOW(fault_flag_window_us, "before a folio's mapping is looked at, to flag it");
WINDOW(fault_free_window_us, "before a free is deferred");
