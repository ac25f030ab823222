// SPDX-License-Identifier: GPL-2.0
/*
 * killed-read FILE MIB: kills a process in the middle of one long read of a hot
 * file, and counts what the read goes on to copy after that. The module's test
 * build stretches each page's copy, so that there is a middle.
 *
 * Prints the bytes served before and after; exits 1 if more than a twelfth of the
 * file was copied for a dead process.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>

#include "window.h"

#define SERVED		"/sys/kernel/debug/refless/filemap_bytes"
#define PAGE_US		500
#define KILL_AFTER	(1L << 20)

static void read_all(const char *path, long bytes)
{
	char *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int fd = open(path, O_RDONLY);

	set_parameter("fault_window_pid", getpid());
	set_parameter("fault_copy_window_us", PAGE_US);
	pread(fd, buffer, bytes, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	long bytes = argc == 3 ? atol(argv[2]) << 20 : 0, i, began, before, after;
	char page[PAGE];
	pid_t child;
	int fd;

	if (bytes <= 0)
		errx(2, "usage: killed-read FILE MIB");
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	memset(page, 'k', PAGE);
	for (i = 0; i < bytes; i += PAGE)
		if (pwrite(fd, page, PAGE, i) != PAGE)
			err(2, "%s", argv[1]);
	close(fd);
	make_hot(argv[1], 0, bytes / PAGE);

	began = number_in(SERVED);
	child = fork();
	if (!child)
		read_all(argv[1], bytes);
	do {
		usleep(1000);
		before = number_in(SERVED) - began;
	} while (before < KILL_AFTER);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	after = number_in(SERVED) - began - before;
	set_parameter("fault_copy_window_us", 0);
	unlink(argv[1]);
	printf("killed-read: %ld bytes read before the kill, %ld of %ld after it\n", before, after,
	       bytes);
	return after > bytes / 12;
}
