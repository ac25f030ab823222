// SPDX-License-Identifier: GPL-2.0
/*
 * foliosize FILE: writes a file of 64 KiB anew in one go and says how many pages
 * the folio has that holds its first one.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE		4096
#define FILE_BYTES	(64 * 1024)
/* Larger than any folio. */
#define PAGES		512
#define PFN_MASK	((1ULL << 55) - 1)
#define KPF_COMPOUND_HEAD	(1ULL << 15)
#define KPF_COMPOUND_TAIL	(1ULL << 16)

static uint64_t entry(const char *path, uint64_t index)
{
	uint64_t value = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || pread(fd, &value, 8, index * 8) != 8)
		err(1, "%s", path);
	close(fd);
	return value;
}

int main(int argc, char **argv)
{
	static char fill[FILE_BYTES];
	volatile char *map;
	uint64_t pfn;
	int fd, pages;

	if (argc != 2)
		errx(2, "usage: foliosize FILE");
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, fill, FILE_BYTES) != FILE_BYTES)
		err(1, "%s", argv[1]);
	map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		err(1, "%s", argv[1]);
	(void)map[0];
	pfn = entry("/proc/self/pagemap", (uintptr_t)map / PAGE) & PFN_MASK;
	for (pages = 1; pages < PAGES; pages++)
		if (!(entry("/proc/kpageflags", pfn + pages) & KPF_COMPOUND_TAIL))
			break;
	printf("%d\n", entry("/proc/kpageflags", pfn) & KPF_COMPOUND_HEAD ? pages : 1);
	return 0;
}
