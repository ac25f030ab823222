// SPDX-License-Identifier: GPL-2.0
/*
 * window lookup|copy FILE ROUNDS: frees and reuses a folio while a reader holds
 * it without a reference, with the module's test build stretching the moment.
 *
 * "copy": the reader has checked a flagged folio and is about to copy; its file
 * drops it, and anonymous memory takes what was freed. Only the deferred free
 * keeps the reader's bytes.
 *
 * "lookup": the reader has looked up a folio without the flag; its file drops
 * it, another file gets the memory, and reads of that one set the flag. Only the
 * second look at the slot tells the reader.
 *
 * Prints how many reads returned bytes of something else; exits 1 if any did.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGE		4096
#define PARAMETERS	"/sys/module/refless/parameters/"
#define WINDOW_US	40000
/* More than it takes for a folio to be hot on either LRU. */
#define HOT_READS	12
#define CHURN_BYTES	(256 * PAGE)
#define TMPFS_MAGIC	0x01021994

static const char *path;
static char other_path[4096];
static bool on_tmpfs;
static atomic_int turn, done;
static char seen[PAGE];

static void set_parameter(const char *name, int value)
{
	char file[256], text[32];
	int fd, len;

	snprintf(file, sizeof(file), PARAMETERS "%s", name);
	fd = open(file, O_WRONLY);
	len = snprintf(text, sizeof(text), "%d", value);
	if (fd < 0 || write(fd, text, len) != len)
		err(2, "%s: is the module's test build loaded?", file);
	close(fd);
}

static void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* A dirty page cannot be dropped, and a sync takes longer than a window. */
static void write_page(const char *file, int byte, bool clean)
{
	int fd = open(file, O_RDWR | O_CREAT, 0600);
	char data[PAGE];

	memset(data, byte, PAGE);
	if (fd < 0 || pwrite(fd, data, PAGE, 0) != PAGE || (clean && fsync(fd)))
		err(2, "%s", file);
	close(fd);
}

static void read_page(const char *file, int times)
{
	int fd = open(file, O_RDONLY);
	char data[PAGE];

	while (times--)
		if (pread(fd, data, PAGE, 0) != PAGE)
			err(2, "%s: short read", file);
	close(fd);
}

/* Takes the folio out of the page cache; the reader's slot is empty after it. */
static void drop_page(const char *file)
{
	int fd = open(file, O_RDWR);

	if (on_tmpfs) {
		if (ftruncate(fd, 0) || ftruncate(fd, PAGE))
			err(2, "%s", file);
	} else {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	close(fd);
}

static void *reader(void *unused)
{
	int fd = open(path, O_RDONLY);

	pin(1);
	set_parameter("fault_window_pid", syscall(__NR_gettid));
	for (int round = 1;; round++) {
		while (turn < round)
			if (turn < 0)
				return unused;
		if (pread(fd, seen, PAGE, 0) != PAGE)
			memset(seen, 0, PAGE);
		done = round;
	}
}

static void take_freed_memory(void)
{
	char *memory = mmap(NULL, CHURN_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, CHURN_BYTES, MADV_NOHUGEPAGE);
	memset(memory, 'X', CHURN_BYTES);
	munmap(memory, CHURN_BYTES);
}

static bool foreign(void)
{
	int i;

	for (i = 0; i < PAGE; i++)
		if (seen[i] != 'A' && !(on_tmpfs && !seen[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int rounds = argc == 4 ? atoi(argv[3]) : 0, round, wrong = 0;
	bool copy = argc == 4 && !strcmp(argv[1], "copy");
	struct statfs fs;
	pthread_t thread;

	if (rounds <= 0 || (!copy && strcmp(argv[1], "lookup")))
		errx(2, "usage: window lookup|copy FILE ROUNDS");
	path = argv[2];
	snprintf(other_path, sizeof(other_path), "%s.other", path);
	pin(0);
	write_page(path, 'A', true);
	statfs(path, &fs);
	on_tmpfs = fs.f_type == TMPFS_MAGIC;
	pthread_create(&thread, NULL, reader, NULL);

	for (round = 1; round <= rounds; round++) {
		unlink(other_path);
		write_page(path, 'A', true);
		if (!on_tmpfs)
			drop_page(path);
		read_page(path, copy ? HOT_READS : 1);
		set_parameter(copy ? "fault_copy_window_us" : "fault_lookup_window_us", WINDOW_US);
		turn = round;
		usleep(WINDOW_US / 8);
		drop_page(path);
		if (copy) {
			take_freed_memory();
		} else {
			write_page(other_path, 'B', false);
			read_page(other_path, HOT_READS);
		}
		while (done < round)
			usleep(1000);
		set_parameter(copy ? "fault_copy_window_us" : "fault_lookup_window_us", 0);
		wrong += foreign();
	}
	turn = -1;
	pthread_join(thread, NULL);
	unlink(other_path);
	printf("window %s: %d of %d reads returned foreign bytes\n", argv[1], wrong, rounds);
	return wrong != 0;
}
