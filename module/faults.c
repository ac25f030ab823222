// SPDX-License-Identifier: GPL-2.0
/*
 * Built into the test build only: switches that take one guard of the protocol
 * away, and delays that stretch the moments which the guards protect, so that
 * the tests can show that they would notice.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>

#include "refless.h"

bool fault_skip_reload;
module_param_named(fault_skip_reload, fault_skip_reload, bool, 0644);
MODULE_PARM_DESC(fault_skip_reload, "Do not look at the slot again after the flags (default 0)");

bool fault_skip_deferral;
module_param_named(fault_skip_deferral, fault_skip_deferral, bool, 0644);
MODULE_PARM_DESC(fault_skip_deferral, "Free flagged folios at once (default 0)");

bool fault_skip_last_slot;
module_param_named(fault_skip_last_slot, fault_skip_last_slot, bool, 0644);
MODULE_PARM_DESC(fault_skip_last_slot, "Believe a large folio's order (default 0)");

bool fault_skip_poison;
module_param_named(fault_skip_poison, fault_skip_poison, bool, 0644);
MODULE_PARM_DESC(fault_skip_poison, "Copy from poisoned pages (default 0)");

bool fault_skip_signal;
module_param_named(fault_skip_signal, fault_skip_signal, bool, 0644);
MODULE_PARM_DESC(fault_skip_signal, "Finish long reads of killed tasks (default 0)");

bool fault_skip_drain;
module_param_named(fault_skip_drain, fault_skip_drain, bool, 0644);
MODULE_PARM_DESC(fault_skip_drain, "Free nothing when the kernel asks for it (default 0)");

bool fault_defer_poisoned;
module_param_named(fault_defer_poisoned, fault_defer_poisoned, bool, 0644);
MODULE_PARM_DESC(fault_defer_poisoned, "Defer the free of poisoned pages too (default 0)");

bool fault_free_poisoned;
module_param_named(fault_free_poisoned, fault_free_poisoned, bool, 0644);
MODULE_PARM_DESC(fault_free_poisoned, "Free poisoned large folios as a whole (default 0)");

static bool fault_plain_race;
module_param_named(fault_plain_race, fault_plain_race, bool, 0644);
MODULE_PARM_DESC(fault_plain_race, "Count reads in a variable without any protection (default 0)");

unsigned int fault_lookup_window_us;
module_param_named(fault_lookup_window_us, fault_lookup_window_us, uint, 0644);
MODULE_PARM_DESC(fault_lookup_window_us,
		 "Wait after the look-up, before the flags, in microseconds (default 0)");

unsigned int fault_order_window_us;
module_param_named(fault_order_window_us, fault_order_window_us, uint, 0644);
MODULE_PARM_DESC(fault_order_window_us,
		 "Wait before a large folio's order is read, in microseconds (default 0)");

unsigned int fault_copy_window_us;
module_param_named(fault_copy_window_us, fault_copy_window_us, uint, 0644);
MODULE_PARM_DESC(fault_copy_window_us,
		 "Wait after the checks, before the copy, in microseconds (default 0)");

static int fault_window_pid;
module_param_named(fault_window_pid, fault_window_pid, int, 0644);
MODULE_PARM_DESC(fault_window_pid,
		 "The thread that waits in the windows; 0: some reads of any (default 0)");

static unsigned int fault_window_one_in = 256;
module_param_named(fault_window_one_in, fault_window_one_in, uint, 0644);
MODULE_PARM_DESC(fault_window_one_in,
		 "With no thread named, one read in so many waits (default 256)");

/**
 * fault_window - let others act at this place
 * @us: for how long, in microseconds
 *
 * Context: rcu_read_lock(); busy, does not sleep.
 */
void fault_window(unsigned int us)
{
	static unsigned long unprotected;
	int pid = READ_ONCE(fault_window_pid);

	if (READ_ONCE(fault_plain_race))
		unprotected++;
	if (!us || (pid && pid != current->pid))
		return;
	if (!pid && get_random_u32() % max(READ_ONCE(fault_window_one_in), 1U))
		return;
	while (us--)
		udelay(1);
}
