// SPDX-License-Identifier: GPL-2.0
/*
 * races SECONDS DIRECTORY: readers of the first pages of one file, and one who does
 * to these pages, as often as it can, each thing that a reader without a reference
 * may meet, in turn: written, freed and used again, truncated, split. For a kernel
 * that looks for data races, which watches few accesses at a time: what is read is
 * not checked.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096

static char path[256];
static char other_path[300];
static char data[16 * PAGE];

static void must(ssize_t result, const char *what)
{
	if (result < 0)
		err(1, "%s", what);
}

static void small_reads(int fd)
{
	must(pread(fd, data, 16, 0), "pread");
}

static void large_reads(int fd)
{
	must(pread(fd, data, sizeof(data), 8), "pread");
}

/* The pages of one file become those of another, hot, and come back. */
static void recycle(int fd)
{
	int other = open(other_path, O_RDWR | O_CREAT | O_TRUNC, 0600), n;

	must(other, other_path);
	must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE), "fallocate");
	must(pwrite(other, data, PAGE, 0), "pwrite");
	for (n = 0; n < 8; n++)
		small_reads(other);
	close(other);
	must(pwrite(fd, data, PAGE, 0), "pwrite");
}

static void overwrite(int fd)
{
	must(pwrite(fd, data, PAGE, 0), "pwrite");
}

static void resize(int fd)
{
	must(ftruncate(fd, PAGE / 2), "ftruncate");
	must(pwrite(fd, data, sizeof(data), 0), "pwrite");
	/* They get hot. */
	usleep(1000);
}

static void split(int fd)
{
	char text[300];
	int file = open("/sys/kernel/debug/split_huge_pages", O_WRONLY);
	int len = snprintf(text, sizeof(text), "%s,0x0,0x200,0", path);

	must(ftruncate(fd, 0), "ftruncate");
	must(pwrite(fd, data, sizeof(data), 0), "pwrite");
	usleep(1000);
	must(file, "split_huge_pages");
	/* Busy, or not large, as often as not. */
	if (write(file, text, len) < 0)
		usleep(1000);
	close(file);
}

static void disturb(int fd)
{
	static void (*const ways[])(int fd) = { recycle, overwrite, resize, split };
	static unsigned int turn;
	struct timespec now;
	time_t end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + 1;
	do {
		ways[turn % 4](fd);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end);
	turn++;
}

static pid_t start(void (*role)(int fd))
{
	pid_t pid = fork();
	int fd;

	must(pid, "fork");
	if (pid)
		return pid;
	fd = open(path, O_RDWR | O_CREAT, 0600);
	must(fd, path);
	must(pwrite(fd, data, sizeof(data), 0), "pwrite");
	for (;;)
		role(fd);
}

int main(int argc, char **argv)
{
	pid_t pids[4];
	int status, failed = 0, i;

	if (argc != 3 || atoi(argv[1]) <= 0)
		errx(2, "usage: races SECONDS DIRECTORY");
	snprintf(path, sizeof(path), "%s/races", argv[2]);
	snprintf(other_path, sizeof(other_path), "%s/other", argv[2]);
	memset(data, 1, sizeof(data));
	pids[0] = start(disturb);
	pids[1] = start(small_reads);
	pids[2] = start(small_reads);
	pids[3] = start(large_reads);
	sleep(atoi(argv[1]));
	for (i = 0; i < 4; i++)
		kill(pids[i], SIGTERM);
	for (i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		failed |= !WIFSIGNALED(status);
	}
	return failed;
}
