// SPDX-License-Identifier: GPL-2.0
/* refless: page cache reads without folio references. Load and unload. */
#define CREATE_TRACE_POINTS
#include "trace.h"

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>

#include "refless.h"

static int __init refless_init(void)
{
	int err;

	params_default_limit();
	err = waiting_init();
	if (err)
		return err;
	err = deferred_init();
	if (err)
		goto out_waiting;
	err = drain_init();
	if (err)
		goto out_deferred;
	eviction_init();
	err = attach_hooks();
	if (err)
		goto out_drain;
	stats_init();
	params_apply();
	return 0;

out_drain:
	drain_exit();
out_deferred:
	deferred_exit();
out_waiting:
	waiting_exit();
	return err;
}

static void __exit refless_exit(void)
{
	params_ignore();
	stats_exit();
	detach_hooks();
	drain_exit();
	deferred_exit();
	WARN_ON(waiting_pages());
	waiting_exit();
}

module_init(refless_init);
module_exit(refless_exit);

MODULE_DESCRIPTION("Page cache reads without folio references");
MODULE_AUTHOR("The refless authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
