// SPDX-License-Identifier: GPL-2.0
/*
 * One folio, freed and reused in the hands of one reader. The windows of refless's
 * test build are aimed at that reader (fault_window_pid), which reads the first
 * page of a file of its own and nothing else. Meanwhile the recycler gives that
 * page's memory to another file and gets it hot there. Left to chance, a page in
 * some reader's window would hardly ever be freed in it and written to as well.
 */
#include <linux/delay.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>

#include "torture.h"

/* Below and above what it takes the reader to get the page hot. */
#define LONGEST_PAUSE_US	20000

static int aimed_pid;
module_param(aimed_pid, int, 0444);
MODULE_PARM_DESC(aimed_pid, "The reader that fault_window_pid is for, once it runs");

static struct torture_file aimed;

static int reader(void *unused)
{
	struct claim claim;
	u64 words[8];

	while (!kthread_should_stop()) {
		loff_t pos = 0;
		ssize_t got;

		claim_pages(&aimed, &claim);
		got = kernel_read(aimed.filp, words, sizeof(words), &pos);
		count_event(AIMED_READS);
		if (got > 0)
			check_read(&aimed, &claim, 0, words, got, sizeof(words));
		cond_resched();
	}
	return 0;
}

/*
 * What is freed here is what is allocated here next, on one CPU. The page cannot
 * be kept from it by the CPU's list of pages on their way to the LRU: the punch
 * empties that.
 */
static void recycle(void)
{
	vfs_fallocate(aimed.filp, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE_SIZE);
	evict_hot_file(torture_directories[0]);
	write_page(aimed.filp, aimed.id, 0, 0);
	count_event(RECYCLINGS);
}

static int recycler(void *unused)
{
	while (!kthread_should_stop()) {
		recycle();
		pause_below(LONGEST_PAUSE_US);
	}
	return 0;
}

static struct task_struct *start_on(unsigned int cpu, int (*role)(void *), const char *name)
{
	struct task_struct *thread = kthread_create(role, NULL, "torture_%s", name);

	if (IS_ERR(thread))
		return NULL;
	kthread_bind(thread, cpu);
	wake_up_process(thread);
	return thread;
}

static struct task_struct *threads[2];

/* On two CPUs, as neither lets go of its own for long. */
int aim(void)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	int err = open_file(&aimed, torture_directories[0]);

	if (err) {
		stop_aiming();
		return err;
	}
	/* Its page is zero at times. */
	aimed.now.sequence[0] = 1;
	threads[0] = start_on(cpu, recycler, "recycler");
	cpu = cpumask_next(cpu, cpu_online_mask);
	if (cpu < nr_cpu_ids)
		threads[1] = start_on(cpu, reader, "aimed");
	if (threads[1])
		WRITE_ONCE(aimed_pid, threads[1]->pid);
	return 0;
}

void stop_aiming(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		if (threads[i])
			kthread_stop(threads[i]);
	if (aimed.filp)
		fput(aimed.filp);
}
