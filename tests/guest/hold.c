// SPDX-License-Identifier: GPL-2.0
/*
 * hold FILE MICROSECONDS: reads a page of FILE again and again without a reference,
 * and stays so long in the module's test build each time, so that each grace period
 * lasts for as long. Runs until it is killed.
 */
#define _GNU_SOURCE
#include "window.h"

int main(int argc, char **argv)
{
	int us = argc == 3 ? atoi(argv[2]) : 0, fd;
	char page[PAGE];

	if (us <= 0)
		errx(2, "usage: hold FILE MICROSECONDS");
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	memset(page, 'h', PAGE);
	if (fd < 0 || pwrite(fd, page, PAGE, 0) != PAGE || fsync(fd))
		err(2, "%s", argv[1]);
	make_hot(argv[1], 0, 1);
	set_parameter("fault_window_pid", getpid());
	set_parameter("fault_copy_window_us", us);
	pin_to(1);
	/* Short: the end of the page is not where the LRU would want to hear of it. */
	for (;;)
		if (pread(fd, page, 16, 100) != 16)
			err(2, "%s", argv[1]);
}
