// SPDX-License-Identifier: GPL-2.0
/*
 * preadbench FILE THREADS BYTES same|own SECONDS: reads per second of pread() at
 * offset 0, each thread with a file descriptor of its own, of one file or of one
 * file each (FILE.0, FILE.1, ...).
 *
 * preadbench --count FILE BYTES OFFSET READS: that many reads, a WINDOWS'th of them
 * at a time between the markers that tests/plugin/count.c looks for.
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
#include <time.h>
#include <unistd.h>

#define FILE_BYTES	(64 * 1024)
/* More than it takes for a folio to be hot on either LRU. */
#define WARM_UP_READS	64
/* An odd number, so that the median is one of them. */
#define WINDOWS		11

/* A nopl of seven bytes whose displacement is the marker's number. */
static inline void mark_start(void)
{
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long 0x5a5a0001" ::: "memory");
}

static inline void mark_stop(void)
{
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long 0x5a5a0002" ::: "memory");
}

struct reader {
	pthread_t thread;
	int fd;
	int cpu;
	size_t bytes;
	unsigned long reads;
	/* Keeps the counters of two threads from sharing a cache line. */
	char pad[128];
};

static atomic_bool go, stop;

static int open_full(const char *path)
{
	static char fill[FILE_BYTES];
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	off_t size;

	if (fd < 0)
		err(1, "%s", path);
	size = lseek(fd, 0, SEEK_END);
	memset(fill, 'r', sizeof(fill));
	if (size < FILE_BYTES && pwrite(fd, fill, FILE_BYTES, 0) != FILE_BYTES)
		err(1, "%s: cannot write %d bytes", path, FILE_BYTES);
	close(fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void read_once(int fd, char *buffer, size_t bytes)
{
	if (pread(fd, buffer, bytes, 0) != (ssize_t)bytes)
		err(1, "pread of %zu bytes fell short", bytes);
}

static void *read_loop(void *arg)
{
	struct reader *self = arg;
	char *buffer = aligned_alloc(4096, self->bytes < 4096 ? 4096 : self->bytes);
	unsigned long reads = 0;
	cpu_set_t cpus;
	int i;

	CPU_ZERO(&cpus);
	CPU_SET(self->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (i = 0; i < WARM_UP_READS; i++)
		read_once(self->fd, buffer, self->bytes);
	while (!go)
		sched_yield();
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		read_once(self->fd, buffer, self->bytes);
		reads++;
	}
	self->reads = reads;
	free(buffer);
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int throughput(char **arg)
{
	int threads = atoi(arg[1]), i;
	struct reader *readers = calloc(threads, sizeof(*readers));
	unsigned long reads = 0;
	double began, seconds = atof(arg[4]);
	char path[4096];

	for (i = 0; i < threads; i++) {
		if (!strcmp(arg[3], "own"))
			snprintf(path, sizeof(path), "%s.%d", arg[0], i);
		else
			snprintf(path, sizeof(path), "%s", arg[0]);
		readers[i].fd = open_full(path);
		readers[i].cpu = i % sysconf(_SC_NPROCESSORS_ONLN);
		readers[i].bytes = atoi(arg[2]);
		if (pthread_create(&readers[i].thread, NULL, read_loop, &readers[i]))
			errx(1, "cannot start thread %d", i);
	}
	/* Lets all threads get through their warm-up. */
	usleep(50000);
	began = now();
	go = true;
	while (now() - began < seconds)
		usleep(10000);
	stop = true;
	seconds = now() - began;
	for (i = 0; i < threads; i++) {
		pthread_join(readers[i].thread, NULL);
		reads += readers[i].reads;
	}
	printf("%.0f\n", reads / seconds);
	return 0;
}

static int count(char **arg)
{
	size_t bytes = atoi(arg[1]);
	off_t offset = atoll(arg[2]);
	long reads = atol(arg[3]), i;
	int fd = open_full(arg[0]), window;
	char *buffer = aligned_alloc(4096, 1 << 20);

	memset(buffer, 0, 1 << 20);
	for (i = 0; i < WARM_UP_READS; i++)
		if (pread(fd, buffer, bytes, offset) < 0)
			err(1, "pread");
	for (window = 0; window < WINDOWS; window++) {
		mark_start();
		for (i = 0; i < reads / WINDOWS; i++)
			if (pread(fd, buffer, bytes, offset) < 0)
				err(1, "pread");
		mark_stop();
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "--count"))
		return count(argv + 2);
	if (argc == 6)
		return throughput(argv + 1);
	fprintf(stderr, "usage: preadbench FILE THREADS BYTES same|own SECONDS\n"
		"       preadbench --count FILE BYTES OFFSET READS\n");
	return 2;
}
