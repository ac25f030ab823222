// SPDX-License-Identifier: GPL-2.0
/* What was done, in /sys/kernel/debug/refless: a file a value, and a summary. */
#include <linux/debugfs.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "refless.h"

DEFINE_PER_CPU(struct stat_counts, stat_counts);
DEFINE_STATIC_KEY_TRUE(stats_key);
static struct dentry *directory;

static const struct {
	const char *name;
	const char *help;
} descriptions[NR_COUNTED] = {
#define COUNTER(name, help) { #name, help },
#include "counters.h"
#undef COUNTER
};

static u64 sum(unsigned int stat)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(&stat_counts, cpu)->count[stat]);
	return total;
}

static int stat_get(void *stat, u64 *value)
{
	*value = sum((uintptr_t)stat);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(stat_fops, stat_get, NULL, "%llu\n");

static int waiting_get(void *unused, u64 *value)
{
	*value = waiting_pages();
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(waiting_fops, waiting_get, NULL, "%llu\n");

static int zones_show(struct seq_file *m, void *unused)
{
	waiting_show_zones(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(zones);

static int summary_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < NR_COUNTED; i++)
		seq_printf(m, "%-20s %20llu  %s\n", descriptions[i].name, sum(i),
			   descriptions[i].help);
	seq_puts(m, "pages waiting for a grace period:\n");
	waiting_show_zones(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(summary);

/**
 * stats_init - create the debugfs files; without debugfs there are none
 *
 * Context: module load.
 */
void stats_init(void)
{
	uintptr_t i;

	directory = debugfs_create_dir("refless", NULL);
	for (i = 0; i < NR_COUNTED; i++)
		debugfs_create_file_unsafe(descriptions[i].name, 0444, directory,
					   (void *)i, &stat_fops);
	debugfs_create_file_unsafe("waiting_pages", 0444, directory, NULL, &waiting_fops);
	debugfs_create_file("waiting_zones", 0444, directory, NULL, &zones_fops);
	debugfs_create_file("summary", 0444, directory, NULL, &summary_fops);
}

/**
 * switch_stats - count, or leave the counters as they are
 * @on: count
 *
 * Context: may sleep.
 */
void switch_stats(bool on)
{
	if (on)
		static_branch_enable(&stats_key);
	else
		static_branch_disable(&stats_key);
}

/**
 * stats_exit - remove the files; on return nobody reads them
 *
 * Context: module unload.
 */
void stats_exit(void)
{
	debugfs_remove_recursive(directory);
}
