// SPDX-License-Identifier: GPL-2.0
/*
 * last-memory FILE ROUNDS: a process needs the memory that a hot file has just
 * given up and that waits for a grace period, and there is nothing else to
 * reclaim. With the module's drains it gets it; the OOM killer is not asked.
 *
 * The module's test build holds the grace period for HOLD_US with one read.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "window.h"

#define HOLD_US		1500000
#define FILE_MIB	160L
/* What a process may need beside the memory it counts: tables, the stack, others. */
#define SPARE_MIB	40L

static long available_mib(void)
{
	FILE *meminfo = fopen("/proc/meminfo", "r");
	char line[128];
	long kb = -1;

	while (meminfo && fgets(line, sizeof(line), meminfo))
		if (sscanf(line, "MemAvailable: %ld", &kb) == 1)
			break;
	fclose(meminfo);
	return kb / 1024;
}

static void take(long mib)
{
	char *memory = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(2, "%ld MiB", mib);
	madvise(memory, mib << 20, MADV_NOHUGEPAGE);
	memset(memory, 'm', mib << 20);
}

static void need_it(const char *path)
{
	struct held_read held;
	int fd;

	fd = open("/proc/self/oom_score_adj", O_WRONLY);
	if (write(fd, "1000", 4) != 4)
		err(2, "oom_score_adj");
	close(fd);

	/* All but the file's memory, which counts as available. */
	take(available_mib() - FILE_MIB - SPARE_MIB);
	make_hot(path, 0, (FILE_MIB << 20) / PAGE);
	held_start(&held, path, PAGE);
	held_begin(&held, "fault_copy_window_us", HOLD_US, 100, 16);
	fd = open(path, O_RDWR);
	if (ftruncate(fd, 0))
		err(2, "%s", path);
	printf("last-memory: %ld MiB wait, %ld are available\n",
	       number_in("/sys/kernel/debug/refless/waiting_pages") / 256, available_mib());
	fflush(stdout);
	take(FILE_MIB / 2 + SPARE_MIB);
	held_end(&held);
	_exit(0);
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0, round, status, killed = 0;
	char page[PAGE];
	long i;
	int fd;

	if (rounds <= 0)
		errx(2, "usage: last-memory FILE ROUNDS");
	memset(page, 'f', PAGE);
	for (round = 0; round < rounds; round++) {
		fd = open(argv[1], O_RDWR | O_CREAT, 0600);
		for (i = 0; i < FILE_MIB << 20; i += PAGE)
			if (pwrite(fd, page, PAGE, i) != PAGE)
				err(2, "%s", argv[1]);
		if (fsync(fd))
			err(2, "%s", argv[1]);
		close(fd);
		if (!fork())
			need_it(argv[1]);
		wait(&status);
		if (WIFEXITED(status) && WEXITSTATUS(status))
			return WEXITSTATUS(status);
		killed += WIFSIGNALED(status);
		set_parameter("fault_copy_window_us", 0);
	}
	printf("last-memory: %d of %d processes were killed\n", killed, rounds);
	return killed != 0;
}
