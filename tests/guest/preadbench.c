// SPDX-License-Identifier: GPL-2.0
/*
 * preadbench FILE THREADS BYTES same|own SECONDS [WALK]: reads per second of pread()
 * at offset 0, each thread with a file descriptor of its own, of one file or of one
 * file each (FILE.0, FILE.1, ...). With WALK, a multiple of BYTES, each thread
 * reads the first WALK bytes of its file from end to end, again and again.
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

/* The least that a file has. */
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
	/* Reads begin again at offset 0 after so many bytes. */
	off_t walk;
	unsigned long reads;
	/* Keeps the counters of two threads from sharing a cache line. */
	char pad[128];
};

static atomic_bool go, stop;
static atomic_int ready;

static int open_full(const char *path, off_t bytes)
{
	static char fill[FILE_BYTES];
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	off_t size;

	if (fd < 0)
		err(1, "%s", path);
	memset(fill, 'r', sizeof(fill));
	for (size = lseek(fd, 0, SEEK_END); size < bytes; size += FILE_BYTES) {
		size -= size % FILE_BYTES;
		if (pwrite(fd, fill, FILE_BYTES, size) != FILE_BYTES)
			err(1, "%s: cannot write %d bytes", path, FILE_BYTES);
	}
	close(fd);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void read_once(int fd, char *buffer, size_t bytes, off_t offset)
{
	if (pread(fd, buffer, bytes, offset) != (ssize_t)bytes)
		err(1, "pread of %zu bytes fell short", bytes);
}

/* Whole pages, so that a walk in small steps need not be made to warm up for one. */
static void warm_up(struct reader *self, char *buffer)
{
	size_t step = self->bytes < 4096 && self->walk >= 4096 ? 4096 : self->bytes;
	off_t offset;
	int i;

	for (offset = 0; offset < self->walk; offset += step)
		read_once(self->fd, buffer, step, offset);
	for (i = 0; i < WARM_UP_READS; i++)
		read_once(self->fd, buffer, self->bytes, 0);
}

static void *read_loop(void *arg)
{
	struct reader *self = arg;
	char *buffer = aligned_alloc(4096, self->bytes < 4096 ? 4096 : self->bytes);
	unsigned long reads = 0;
	off_t offset = 0;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(self->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	warm_up(self, buffer);
	ready++;
	while (!go)
		sched_yield();
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		read_once(self->fd, buffer, self->bytes, offset);
		reads++;
		offset += self->bytes;
		if (offset >= self->walk)
			offset = 0;
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

static int throughput(int args, char **arg)
{
	int threads = atoi(arg[1]), i;
	struct reader *readers = calloc(threads, sizeof(*readers));
	size_t bytes = atoi(arg[2]);
	off_t walk = args > 5 ? atoll(arg[5]) : (off_t)bytes;
	unsigned long reads = 0;
	double began, seconds = atof(arg[4]);
	char path[4096];

	if (!bytes || walk % bytes)
		errx(2, "a walk of %lld bytes takes no whole reads of %zu", (long long)walk, bytes);
	for (i = 0; i < threads; i++) {
		if (!strcmp(arg[3], "own"))
			snprintf(path, sizeof(path), "%s.%d", arg[0], i);
		else
			snprintf(path, sizeof(path), "%s", arg[0]);
		readers[i].fd = open_full(path, walk > FILE_BYTES ? walk : FILE_BYTES);
		readers[i].cpu = i % sysconf(_SC_NPROCESSORS_ONLN);
		readers[i].bytes = bytes;
		readers[i].walk = walk;
		if (pthread_create(&readers[i].thread, NULL, read_loop, &readers[i]))
			errx(1, "cannot start thread %d", i);
	}
	while (ready < threads)
		usleep(1000);
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
	int fd = open_full(arg[0], FILE_BYTES), window;
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
	if (argc == 6 || argc == 7)
		return throughput(argc - 1, argv + 1);
	fprintf(stderr, "usage: preadbench FILE THREADS BYTES same|own SECONDS [WALK]\n"
		"       preadbench --count FILE BYTES OFFSET READS\n");
	return 2;
}
