// SPDX-License-Identifier: GPL-2.0
/*
 * hotdrop FILE MIB SECONDS: makes each page of a file hot, drops the file from the
 * page cache, and again: as many deferred frees as reads can bring about. Says how
 * fast whole rounds were, and how long a drop took.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fullfile.h"

/* More than it takes for a folio to be flagged. */
#define HOT_READS	8

static void make_hot(int fd, long pages)
{
	char data[16];
	long i;
	int n;

	for (i = 0; i < pages; i++)
		for (n = 0; n < HOT_READS; n++)
			if (pread(fd, data, 16, i * PAGE) != 16 || data[0] != 'h')
				errx(1, "wrong data in page %ld", i);
}

int main(int argc, char **argv)
{
	long pages = argc == 4 ? atol(argv[2]) << (20 - 12) : 0;
	double began, dropped, drops = 0, seconds;
	unsigned long rounds = 0;
	int fd;

	if (!pages)
		errx(2, "usage: hotdrop FILE MIB SECONDS");
	fd = open_full(argv[1], pages, 'h');
	began = now();
	do {
		make_hot(fd, pages);
		dropped = now();
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		seconds = now() - began;
		drops += now() - dropped;
		rounds++;
	} while (seconds < atof(argv[3]));
	printf("hotdrop: %lu rounds of %ld MiB, %.2f MiB/s, %.3f ms a drop\n", rounds, pages >> 8,
	       rounds * (pages >> 8) / seconds, 1000 * drops / rounds);
	return 0;
}
