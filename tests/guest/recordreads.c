// SPDX-License-Identifier: GPL-2.0
/*
 * recordreads FILE BYTES HOW READS: two readers, each on a CPU of its own, read BYTES
 * at offset 0 that many times between the markers of tests/plugin/record.c. HOW:
 *
 *   own-fd      two threads of a process, one file, each with a descriptor of its own
 *   private     two threads, each with a file of its own (FILE.0, FILE.1)
 *   thread-fd   two threads, one descriptor: the kernel counts each use of it
 *   inherited   two processes, one open file: nobody counts, struct file is shared
 *
 * Prints what /sys/kernel/debug/lines (lines.ko) says of each reader.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READERS		2
/* A huge folio, so that a file on a file system that has them gets one. */
#define FILE_BYTES	(2 * 1024 * 1024)
/* More than it takes for a folio to be hot on either LRU. */
#define WARM_UP_READS	64

/* A nopl of seven bytes whose displacement is the marker's number. */
static inline void mark(const int number)
{
	asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0" : : "i" (number) : "memory");
}

enum { MARK_START = 0x5a5a0001, MARK_STOP, MARK_NEXT, MARK_RECORDING };

struct shared {
	pthread_barrier_t warm, done;
	size_t bytes;
	long reads;
};

struct reader {
	struct shared *shared;
	int cpu;
	int fd;
	/* Keeps the stack and the buffers of two readers apart. */
	char pad[128];
};

static int open_full(const char *path)
{
	static char fill[FILE_BYTES];
	struct stat st;
	int fd;

	memset(fill, 'r', sizeof(fill));
	/* A block device is read as it is. */
	if (stat(path, &st) || (S_ISREG(st.st_mode) && st.st_size < FILE_BYTES)) {
		fd = open(path, O_RDWR | O_CREAT, 0644);
		if (fd < 0 || pwrite(fd, fill, FILE_BYTES, 0) != FILE_BYTES)
			err(1, "%s: cannot write %d bytes", path, FILE_BYTES);
		fsync(fd);
		close(fd);
	}
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void tell_lines(const struct reader *self)
{
	char text[8192], number[16];
	int fd = open("/sys/kernel/debug/lines", O_RDWR);
	ssize_t len;

	snprintf(number, sizeof(number), "%d", self->fd);
	if (fd < 0 || write(fd, number, strlen(number)) < 0)
		err(1, "/sys/kernel/debug/lines");
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		err(1, "/sys/kernel/debug/lines");
	text[len] = '\0';
	close(fd);
	printf("reader %d\n%s", self->cpu, text);
	fflush(stdout);
}

static void *read_loop(void *arg)
{
	const struct reader *self = arg;
	size_t bytes = self->shared->bytes;
	char *buffer = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	cpu_set_t cpus;
	long i;

	CPU_ZERO(&cpus);
	CPU_SET(self->cpu, &cpus);
	if (buffer == MAP_FAILED || sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "reader %d", self->cpu);
	for (i = 0; i < WARM_UP_READS; i++)
		if (pread(self->fd, buffer, bytes, 0) != (ssize_t)bytes)
			err(1, "pread of %zu bytes fell short", bytes);
	pthread_barrier_wait(&self->shared->warm);
	mark(MARK_START);
	for (i = 0; i < self->shared->reads; i++) {
		pread(self->fd, buffer, bytes, 0);
		mark(MARK_NEXT);
	}
	mark(MARK_STOP);
	/* One after the other, as they share the output. */
	for (i = 0; i < READERS; i++) {
		pthread_barrier_wait(&self->shared->done);
		if (i == self->cpu)
			tell_lines(self);
	}
	return NULL;
}

static struct shared *make_shared(const char *bytes, const char *reads)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t attr;

	if (shared == MAP_FAILED)
		err(1, "mmap");
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->warm, &attr, READERS);
	pthread_barrier_init(&shared->done, &attr, READERS);
	shared->bytes = atol(bytes);
	shared->reads = atol(reads);
	return shared;
}

static void run_threads(struct reader *readers)
{
	pthread_t threads[READERS];
	int i;

	for (i = 0; i < READERS; i++)
		if (pthread_create(&threads[i], NULL, read_loop, &readers[i]))
			errx(1, "cannot start thread %d", i);
	for (i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
}

static void run_processes(struct reader *readers)
{
	int i, status;

	fflush(stdout);
	for (i = 0; i < READERS; i++) {
		if (fork())
			continue;
		read_loop(&readers[i]);
		exit(0);
	}
	for (i = 0; i < READERS; i++)
		if (wait(&status) < 0 || status)
			errx(1, "a reader failed");
}

int main(int argc, char **argv)
{
	struct reader *readers = aligned_alloc(128, READERS * sizeof(*readers));
	struct shared *shared;
	char path[4096];
	int i;

	if (argc != 5) {
		fprintf(stderr, "usage: recordreads FILE BYTES HOW READS\n");
		return 2;
	}
	shared = make_shared(argv[2], argv[4]);
	for (i = 0; i < READERS; i++) {
		readers[i].shared = shared;
		readers[i].cpu = i;
		if (!strcmp(argv[3], "private"))
			snprintf(path, sizeof(path), "%s.%d", argv[1], i);
		else
			snprintf(path, sizeof(path), "%s", argv[1]);
		if (i && (!strcmp(argv[3], "thread-fd") || !strcmp(argv[3], "inherited")))
			readers[i].fd = readers[0].fd;
		else
			readers[i].fd = open_full(path);
	}
	mark(MARK_RECORDING);
	if (!strcmp(argv[3], "inherited"))
		run_processes(readers);
	else
		run_threads(readers);
	return 0;
}
