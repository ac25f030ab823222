// SPDX-License-Identifier: GPL-2.0
/* The module's parameters, all of them writable at run time and checked. */
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>

#include "refless.h"

static bool read = true;
static bool filemap = true;
static bool tmpfs = true;
static bool stats = true;
unsigned int waiting_limit_mib;

/* Between a write to a parameter and the module's init and exit. */
static DEFINE_MUTEX(params_mutex);
static bool hooks_attached;

static void apply(void)
{
	lockdep_assert_held(&params_mutex);
	if (!hooks_attached)
		return;
	switch_stats(stats);
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
	unsigned int limit;
	int err = kstrtouint(val, 0, &limit);

	if (err)
		return err;
	if (!limit || limit > ram_mib())
		return -EINVAL;
	WRITE_ONCE(waiting_limit_mib, limit);
	return 0;
}

static const struct kernel_param_ops limit_ops = {
	.set = set_limit,
	.get = param_get_uint,
};

/* The types are for modinfo: module_param_cb() does not know them. */
module_param_cb(read, &switch_ops, &read, 0644);
__MODULE_PARM_TYPE(read, "bool");
MODULE_PARM_DESC(read,
		 "Serve reads without folio references; 0 sends all reads the usual way (default 1)");
module_param_cb(filemap, &switch_ops, &filemap, 0644);
__MODULE_PARM_TYPE(filemap, "bool");
MODULE_PARM_DESC(filemap,
		 "Serve those of file systems that use filemap_read(): ext4, XFS, block devices and most others (default 1)");
module_param_cb(tmpfs, &switch_ops, &tmpfs, 0644);
__MODULE_PARM_TYPE(tmpfs, "bool");
MODULE_PARM_DESC(tmpfs, "Serve those of tmpfs and shared memory files (default 1)");
module_param_cb(stats, &switch_ops, &stats, 0644);
__MODULE_PARM_TYPE(stats, "bool");
MODULE_PARM_DESC(stats,
		 "Count what is done, for debugfs; 0 leaves the counters as they are (default 1)");
module_param_cb(waiting_limit_mib, &limit_ops, &waiting_limit_mib, 0644);
__MODULE_PARM_TYPE(waiting_limit_mib, "uint");
MODULE_PARM_DESC(waiting_limit_mib,
		 "MiB that may wait for a grace period before one is expedited when memory is short; at four times as much one is in any case (default 1/64 of RAM, at least 16, at most 512; from 1 to the size of RAM)");

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
