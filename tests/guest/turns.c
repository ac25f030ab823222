// SPDX-License-Identifier: GPL-2.0
/*
 * turns FILE SECONDS: two threads on two CPUs read the first bytes of a file, one
 * after the other: each read finds its page last read by the other CPU. Prints how many.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static sem_t turn[2];
static const char *path;
static time_t end;
/* Written by the thread whose turn it is. */
static bool over;
static unsigned long reads;

static void *take_turns(void *arg)
{
	long self = (long)arg;
	int fd = open(path, O_RDONLY);
	cpu_set_t cpus;
	char data[16];

	if (fd < 0)
		err(1, "%s", path);
	CPU_ZERO(&cpus);
	CPU_SET(self, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "cannot run on CPU %ld", self);
	for (;;) {
		sem_wait(&turn[self]);
		if (!over && pread(fd, data, sizeof(data), 0) != sizeof(data))
			errx(1, "%s is too short", path);
		if (!over)
			reads++;
		if (time(NULL) >= end)
			over = true;
		sem_post(&turn[!self]);
		if (over)
			return NULL;
	}
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc != 3)
		errx(2, "usage: turns FILE SECONDS");
	path = argv[1];
	end = time(NULL) + atoi(argv[2]);
	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	if (pthread_create(&other, NULL, take_turns, (void *)1))
		errx(1, "cannot start a thread");
	take_turns((void *)0);
	pthread_join(other, NULL);
	printf("%lu reads in turn\n", reads);
	return 0;
}
