// SPDX-License-Identifier: GPL-2.0
/* The module's parameters, all of them writable at run time and checked. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>

#include "refless.h"

static bool read = true;
static bool filemap = true;
static bool tmpfs = true;
unsigned int waiting_limit_mib;

/* Between a write to a parameter and the module's init and exit. */
static DEFINE_MUTEX(params_mutex);
static bool hooks_attached;

static void apply(void)
{
	lockdep_assert_held(&params_mutex);
	if (hooks_attached)
		switch_reads(read && filemap, read && tmpfs);
}

static int set_switch(const char *val, const struct kernel_param *kp)
{
	int err;

	mutex_lock(&params_mutex);
	err = param_set_bool(val, kp);
	if (!err)
		apply();
	mutex_unlock(&params_mutex);
	return err;
}

static const struct kernel_param_ops switch_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_switch,
	.get = param_get_bool,
};

static unsigned long ram_mib(void)
{
	return totalram_pages() >> (20 - PAGE_SHIFT);
}

static int set_limit(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, ram_mib());
}

static const struct kernel_param_ops limit_ops = {
	.set = set_limit,
	.get = param_get_uint,
};

module_param_cb(read, &switch_ops, &read, 0644);
MODULE_PARM_DESC(read, "Read without folio references: 0 or 1 (default 1)");
module_param_cb(filemap, &switch_ops, &filemap, 0644);
MODULE_PARM_DESC(filemap, "... from file systems that use filemap_read(): 0 or 1 (default 1)");
module_param_cb(tmpfs, &switch_ops, &tmpfs, 0644);
MODULE_PARM_DESC(tmpfs, "... from tmpfs: 0 or 1 (default 1)");
module_param_cb(waiting_limit_mib, &limit_ops, &waiting_limit_mib, 0644);
MODULE_PARM_DESC(waiting_limit_mib,
		 "Memory that may wait for a grace period, in MiB, before one is expedited when memory is short, or at four times as much in any case: 1 to the size of RAM (default: 1/64 of RAM, at least 16, at most 512)");

/**
 * params_default_limit - set what the command line did not
 *
 * 1/64 of RAM is what a kernel keeps free by its watermarks, give or take.
 *
 * Context: module load.
 */
void params_default_limit(void)
{
	if (!waiting_limit_mib)
		waiting_limit_mib = clamp(ram_mib() / 64, 16UL, 512UL);
}

/**
 * params_apply - from now on the hooks follow the parameters
 *
 * Context: module load, hooks attached.
 */
void params_apply(void)
{
	mutex_lock(&params_mutex);
	hooks_attached = true;
	apply();
	mutex_unlock(&params_mutex);
}

/**
 * params_ignore - from now on a write changes nothing
 *
 * Context: module unload, before the hooks are detached.
 */
void params_ignore(void)
{
	mutex_lock(&params_mutex);
	hooks_attached = false;
	mutex_unlock(&params_mutex);
}
