// SPDX-License-Identifier: GPL-2.0
/*
 * Built into the test build only: switches that take one guard of the protocol
 * away, and delays that stretch the moments which the guards protect, so that
 * the tests can show that they would notice. faults.h lists both.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>

#include "refless.h"

#define SWITCH(name, ...)	bool name
#define WINDOW(name, ...)	unsigned int name
#include "faults.h"
#undef SWITCH
#undef WINDOW

#define SWITCH(name, ...)	module_param(name, bool, 0644)
#define WINDOW(name, ...)	module_param(name, uint, 0644)
#include "faults.h"
#undef SWITCH
#undef WINDOW

#define SWITCH(name, help)	MODULE_PARM_DESC(name, help " (default 0)")
#define WINDOW(name, help)	MODULE_PARM_DESC(name, "Wait " help ", in microseconds (default 0)")
#include "faults.h"
#undef SWITCH
#undef WINDOW

static bool fault_plain_race;
module_param_named(fault_plain_race, fault_plain_race, bool, 0644);
MODULE_PARM_DESC(fault_plain_race, "Count reads in a variable without any protection (default 0)");

static int fault_window_pid;
module_param_named(fault_window_pid, fault_window_pid, int, 0644);
MODULE_PARM_DESC(fault_window_pid,
		 "The thread that waits in the windows; 0: some reads of any (default 0)");

static unsigned int fault_window_one_in = 256;
module_param_named(fault_window_one_in, fault_window_one_in, uint, 0644);
MODULE_PARM_DESC(fault_window_one_in,
		 "With no thread named, one read in so many waits (default 256)");

/**
 * fault_wait - let others act at this place
 * @window: for how long at most, in microseconds; 0 while it lasts ends it
 *
 * Context: any; busy, does not sleep.
 */
void fault_wait(const unsigned int *window)
{
	static unsigned long unprotected;
	int pid = READ_ONCE(fault_window_pid);
	unsigned int us;

	if (READ_ONCE(fault_plain_race))
		unprotected++;
	if (!READ_ONCE(*window) || (pid && pid != current->pid))
		return;
	if (!pid && get_random_u32() % max(READ_ONCE(fault_window_one_in), 1U))
		return;
	for (us = 0; us < READ_ONCE(*window); us++)
		udelay(1);
}
