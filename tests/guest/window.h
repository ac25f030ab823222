/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader that stays in one of the windows which the module's test build
 * stretches, while the caller does something to the file's memory. Without the
 * module the reader just reads.
 */
#ifndef GUEST_WINDOW_H
#define GUEST_WINDOW_H

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
#include <unistd.h>

#define PAGE		4096L
#define PARAMETERS	"/sys/module/refless/parameters/"
/* More than it takes for a folio to be hot on either LRU, and to use the flag. */
#define HOT_READS	12

struct held_read {
	const char *path;
	off_t offset;
	size_t len;
	char *seen;
	ssize_t got;
	const char *window;
	int window_us;
	/* 0: none is wanted; 1: go; 2: the read has returned; -1: end. */
	atomic_int state;
	pthread_t thread;
};

static inline void pin_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static inline bool module_loaded(void)
{
	return !access(PARAMETERS, F_OK);
}

static inline void set_parameter(const char *name, int value)
{
	char file[256], text[32];
	int fd, len;

	if (!module_loaded())
		return;
	snprintf(file, sizeof(file), PARAMETERS "%s", name);
	fd = open(file, O_WRONLY);
	len = snprintf(text, sizeof(text), "%d", value);
	if (fd < 0 || write(fd, text, len) != len)
		err(2, "%s: is the module's test build loaded?", file);
	close(fd);
}

/* What a file of one number holds, such as one of the module's statistics. */
static inline long number_in(const char *file)
{
	char text[32] = "";
	int fd = open(file, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		err(2, "%s", file);
	close(fd);
	return atol(text);
}

/* Each pass by a descriptor of its own, so that the LRU hears of all of them. */
static inline void make_hot(const char *path, long first_page, long pages)
{
	char data[16];
	int pass, fd;
	long i;

	for (pass = 0; pass < HOT_READS; pass++) {
		fd = open(path, O_RDONLY);
		for (i = first_page; i < first_page + pages; i++)
			if (pread(fd, data, sizeof(data), i * PAGE) != sizeof(data))
				err(2, "%s: short read of page %ld", path, i);
		close(fd);
	}
}

static void *held_reader(void *arg)
{
	struct held_read *held = arg;

	pin_to(1);
	set_parameter("fault_window_pid", syscall(__NR_gettid));
	for (;;) {
		int fd;

		while (held->state != 1) {
			if (held->state < 0)
				return NULL;
			usleep(500);
		}
		fd = open(held->path, O_RDONLY);
		held->got = pread(fd, held->seen, held->len, held->offset);
		close(fd);
		held->state = 2;
	}
}

/* The caller stays on the other CPU. */
static inline void held_start(struct held_read *held, const char *path, size_t max_len)
{
	memset(held, 0, sizeof(*held));
	held->path = path;
	held->seen = mmap(NULL, max_len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	pin_to(0);
	pthread_create(&held->thread, NULL, held_reader, held);
}

/*
 * On return the reader is in the window, if the module serves the read at all. It stays
 * there until held_next() or held_end(), but no longer than @us.
 */
static inline void held_begin(struct held_read *held, const char *window, int us, off_t offset,
			      size_t len)
{
	held->offset = offset;
	held->len = len;
	held->window = window;
	held->window_us = us;
	/* Also the proof that each page of the buffer can be written to. */
	memset(held->seen, 0xee, len);
	set_parameter(window, us);
	held->state = 1;
	usleep(us / 8);
}

static inline bool held_still_reading(struct held_read *held)
{
	return held->state == 1;
}

/* To a later window of the same read, which was opened before it began. */
static inline void held_next(struct held_read *held, const char *window)
{
	set_parameter(held->window, 0);
	held->window = window;
	usleep(held->window_us / 8);
}

static inline ssize_t held_end(struct held_read *held)
{
	set_parameter(held->window, 0);
	while (held->state == 1)
		usleep(1000);
	held->state = 0;
	return held->got;
}

static inline void held_stop(struct held_read *held)
{
	held->state = -1;
	pthread_join(held->thread, NULL);
}

/* Whoever gets what was freed fills it with something else. */
static inline void take_freed_memory(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	madvise(memory, bytes, MADV_NOHUGEPAGE);
	memset(memory, 'X', bytes);
	munmap(memory, bytes);
}

#endif /* GUEST_WINDOW_H */
