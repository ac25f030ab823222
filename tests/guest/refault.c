// SPDX-License-Identifier: GPL-2.0
/*
 * refault FILE MIB SECONDS loop|random: reads whole pages of a file that is larger
 * than the memory that it may have, from end to end or at random, and says how
 * fast. The pages are the same ones in each run.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fullfile.h"

/* Pages between two looks at the clock. */
#define STEP		256

/* Marsaglia's xorshift. */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void read_pages(int fd, long pages, bool at_random)
{
	static long next;
	char data[PAGE];
	long i;

	for (i = 0; i < STEP; i++) {
		next = at_random ? (long)(next_random() % pages) : (next + 1) % pages;
		if (pread(fd, data, PAGE, next * PAGE) != PAGE || data[0] != 'f')
			errx(1, "wrong data in page %ld", next);
	}
}

int main(int argc, char **argv)
{
	long pages = argc == 5 ? atol(argv[2]) << (20 - 12) : 0;
	unsigned long steps = 0;
	bool at_random;
	double began;
	int fd;

	if (!pages)
		errx(2, "usage: refault FILE MIB SECONDS loop|random");
	at_random = !strcmp(argv[4], "random");
	fd = open_full(argv[1], pages, 'f');
	/* The memory is full and what was read has been evicted once. */
	for (steps = 0; steps < (unsigned long)pages / STEP; steps++)
		read_pages(fd, pages, at_random);
	began = now();
	for (steps = 0; now() - began < atof(argv[3]); steps++)
		read_pages(fd, pages, at_random);
	printf("%.2f\n", steps * STEP * PAGE / 1048576.0 / (now() - began));
	return 0;
}
