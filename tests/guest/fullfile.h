/* SPDX-License-Identifier: GPL-2.0 */
/* A file whose pages are all there and clean, and a clock: for the loads. */
#ifndef GUEST_FULLFILE_H
#define GUEST_FULLFILE_H

#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096

/* In seconds. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Each of its bytes is @byte. */
static inline int open_full(const char *path, long pages, int byte)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	char data[PAGE];
	long i;

	memset(data, byte, sizeof(data));
	for (i = lseek(fd, 0, SEEK_END) / PAGE; i < pages; i++)
		if (pwrite(fd, data, PAGE, i * PAGE) != PAGE)
			err(1, "%s", path);
	fsync(fd);
	return fd;
}

#endif /* GUEST_FULLFILE_H */
