// SPDX-License-Identifier: GPL-2.0
/* hog MIB SECONDS: touches so much anonymous memory in a loop. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

int main(int argc, char **argv)
{
	size_t bytes = argc == 3 ? (size_t)atol(argv[1]) << 20 : 0, i;
	time_t end = time(NULL) + (argc == 3 ? atoi(argv[2]) : 0);
	unsigned long rounds = 0;
	char *memory;

	if (!bytes)
		errx(2, "usage: hog MIB SECONDS");
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "%zu bytes", bytes);
	while (time(NULL) < end) {
		for (i = 0; i < bytes; i += 4096)
			memory[i]++;
		rounds++;
	}
	printf("hog: %lu rounds of %zu MiB\n", rounds, bytes >> 20);
	return 0;
}
