// SPDX-License-Identifier: GPL-2.0
/*
 * refless_torture: reads, changes and drops files from kernel threads for a
 * bounded time, beside whatever a script does to the memory and to refless, and
 * says whether all that was read was right. All of it happens while the module
 * is being loaded; after that it does nothing, and can be unloaded.
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "torture.h"

#define MAX_DIRECTORIES		8
#define MAX_THREADS		64

static unsigned int duration = 30;
module_param(duration, uint, 0444);
MODULE_PARM_DESC(duration, "How long, in seconds (default 30)");

static unsigned int readers;
module_param(readers, uint, 0444);
MODULE_PARM_DESC(readers, "Threads that read (default: one for each CPU)");

static unsigned int files = 3;
module_param(files, uint, 0444);
MODULE_PARM_DESC(files, "Files in each directory (default 3)");

bool torture_inject;
module_param_named(inject, torture_inject, bool, 0444);
MODULE_PARM_DESC(inject, "Mark the readers for task-filter of fault injection (default 0)");

char *torture_directories[MAX_DIRECTORIES];
int nr_torture_directories;
module_param_array_named(directories, torture_directories, charp, &nr_torture_directories, 0444);
MODULE_PARM_DESC(directories, "Where to make the files, separated by commas");

atomic_long_t torture_events[NR_EVENTS];
struct torture_file *torture_files;
unsigned int nr_torture_files;
struct mm_struct *torture_mm;

static struct task_struct *threads[MAX_THREADS];
static unsigned int nr_threads;

static const char * const event_names[NR_EVENTS] = {
	"reads", "aimed_reads", "bytes", "failed_reads", "short_reads", "strict_pages",
	"overwrites", "failed_writes", "punches", "truncations", "drops", "evictions", "recyclings",
	"windows", "wrong"
};

static void close_files(void)
{
	while (nr_torture_files--)
		fput(torture_files[nr_torture_files].filp);
	kvfree(torture_files);
}

/* A file without a name, with its first words. */
int open_file(struct torture_file *file, const char *directory)
{
	static unsigned int last_id;
	struct file *filp = filp_open(directory, O_TMPFILE | O_RDWR | O_LARGEFILE, 0600);

	if (IS_ERR(filp)) {
		pr_err("torture: no file in %s\n", directory);
		return PTR_ERR(filp);
	}
	file->filp = filp;
	mutex_init(&file->lock);
	file->id = ++last_id;
	return fill_file(file);
}

static int open_files(void)
{
	unsigned int wanted = nr_torture_directories * files, i;
	int err = 0;

	torture_files = kvcalloc(wanted, sizeof(*torture_files), GFP_KERNEL);
	if (!torture_files)
		return -ENOMEM;
	for (i = 0; i < wanted && !err; i++) {
		err = open_file(&torture_files[i], torture_directories[i / files]);
		nr_torture_files += !!torture_files[i].filp;
	}
	return err;
}

static void start(int (*role)(void *), const char *name, unsigned int how_many)
{
	while (how_many-- && nr_threads < MAX_THREADS) {
		struct task_struct *thread = kthread_run(role, NULL, "torture_%s", name);

		if (!IS_ERR(thread))
			threads[nr_threads++] = thread;
	}
}

static void stop_all(void)
{
	while (nr_threads--)
		kthread_stop(threads[nr_threads]);
}

static void say_result(void)
{
	bool right = !atomic_long_read(&torture_events[WRONG]) &&
		     atomic_long_read(&torture_events[STRICT_PAGES]) &&
		     atomic_long_read(&torture_events[RECYCLINGS]);
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++)
		pr_info("torture: %s %ld\n", event_names[i], atomic_long_read(&torture_events[i]));
	pr_info("torture: %s\n", right ? "SUCCESS" : "FAILURE");
}

/* A wrong read is the end. */
static void wait_for_the_end(void)
{
	unsigned int second;

	for (second = 0; second < duration; second++) {
		if (atomic_long_read(&torture_events[WRONG]))
			break;
		schedule_timeout_idle(HZ);
	}
}

static int __init torture_init(void)
{
	int err = -EINVAL;

	if (!duration || !files || !nr_torture_directories)
		return err;
	torture_mm = current->mm;
	err = open_files();
	if (err)
		goto out;
	err = aim();
	if (err)
		goto out;
	windows_open();
	start(torture_reader, "reader", readers ?: num_online_cpus());
	start(torture_changer, "changer", nr_torture_directories);
	start(torture_evicter, "evicter", nr_torture_directories);
	start(torture_dropper, "dropper", 1);
	wait_for_the_end();
	stop_all();
	stop_aiming();
	windows_close();
	say_result();
out:
	close_files();
	return err;
}
module_init(torture_init);

static void __exit torture_exit(void)
{
}
module_exit(torture_exit);

MODULE_DESCRIPTION("Torture test of page cache reads without folio references");
MODULE_AUTHOR("The refless authors");
MODULE_LICENSE("GPL");
