// SPDX-License-Identifier: GPL-2.0
/*
 * hotdrop FILE MIB SECONDS: makes each page of a file hot, drops the file from the
 * page cache, and again: as many deferred frees as reads can bring about.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096
/* More than it takes for a folio to be flagged. */
#define HOT_READS	8

int main(int argc, char **argv)
{
	long pages = argc == 4 ? atol(argv[2]) << (20 - 12) : 0, i;
	time_t end = time(NULL) + (argc == 4 ? atoi(argv[3]) : 0);
	unsigned long rounds = 0;
	char data[PAGE];
	int fd, n;

	if (!pages)
		errx(2, "usage: hotdrop FILE MIB SECONDS");
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	memset(data, 'h', sizeof(data));
	for (i = 0; i < pages; i++)
		if (pwrite(fd, data, PAGE, i * PAGE) != PAGE)
			err(1, "%s", argv[1]);
	fsync(fd);
	while (time(NULL) < end) {
		for (i = 0; i < pages; i++)
			for (n = 0; n < HOT_READS; n++)
				if (pread(fd, data, 16, i * PAGE) != 16 || data[0] != 'h')
					errx(1, "wrong data in page %ld", i);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		rounds++;
	}
	printf("hotdrop: %lu rounds of %ld MiB\n", rounds, pages >> 8);
	return 0;
}
