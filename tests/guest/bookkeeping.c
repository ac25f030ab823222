// SPDX-License-Identifier: GPL-2.0
/*
 * bookkeeping flag|count|stop FILE: what the module has to keep right beside its
 * readers, at moments that its test build stretches.
 *
 * "flag": a hot page of tmpfs is truncated away after it was read and before it is
 * flagged. It gets no flag: there is no file any more that it could be read from.
 *
 * "count": a few flagged pages are dropped while their grace period cannot end. All of
 * them are told to be waiting, although a CPU counts them for itself at first.
 *
 * "stop": hot pages are dropped one by one while reads are switched off. The switch
 * waits for the free that is under way, so that nothing begins to wait after it, when
 * the drains are off.
 *
 * Prints what it found; exits 1 if that is wrong.
 */
#define _GNU_SOURCE
#include "window.h"

#define STATISTICS	"/sys/kernel/debug/refless/"
#define WINDOW_US	200000
#define PAGES		5
/* Of "stop": a drop takes at least so long, which is longer than a key's switching. */
#define DROP_US		50000
#define DROPS		40
#define STOPS		10

static void make_file(const char *path, long pages)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char data[PAGE];
	long i;

	memset(data, 'A', PAGE);
	for (i = 0; i < pages; i++)
		if (pwrite(fd, data, PAGE, i * PAGE) != PAGE)
			err(2, "%s", path);
	fsync(fd);
	close(fd);
}

static void drop_pages(const char *path, long first, long pages)
{
	int fd = open(path, O_RDWR);

	posix_fadvise(fd, first * PAGE, pages * PAGE, POSIX_FADV_DONTNEED);
	close(fd);
}

static bool flags_a_truncated_page(const char *path)
{
	struct held_read held;
	long flagged;

	make_file(path, 1);
	/* Hot for the LRU, but without the flag, as reads are not served now. */
	set_parameter("read", 0);
	make_hot(path, 0, 1);
	set_parameter("read", 1);
	held_start(&held, path, PAGE);
	flagged = number_in(STATISTICS "folios_flagged");
	held_begin(&held, "fault_flag_window_us", WINDOW_US, 0, PAGE);
	if (!held_still_reading(&held))
		errx(2, "the read did not wait");
	truncate(path, 0);
	held_end(&held);
	flagged = number_in(STATISTICS "folios_flagged") - flagged;
	held_stop(&held);
	printf("%ld truncated pages flagged\n", flagged);
	return flagged;
}

static bool miscounts_waiting_pages(const char *path)
{
	struct held_read held;
	long waiting = number_in(STATISTICS "waiting_pages");

	make_file(path, PAGES);
	make_hot(path, 0, PAGES);
	held_start(&held, path, PAGE);
	held_begin(&held, "fault_copy_window_us", WINDOW_US, 0, PAGE);
	drop_pages(path, 0, PAGES);
	waiting = number_in(STATISTICS "waiting_pages") - waiting;
	if (!held_still_reading(&held))
		errx(2, "the read did not wait");
	held_end(&held);
	held_stop(&held);
	printf("%ld of %d pages said to wait\n", waiting, PAGES);
	return waiting != PAGES;
}

static atomic_bool enough;

static void *drop_one_by_one(void *path)
{
	long page;

	pin_to(1);
	set_parameter("fault_window_pid", syscall(__NR_gettid));
	for (page = 0; page < DROPS && !enough; page++)
		drop_pages(path, page, 1);
	return NULL;
}

static bool something_begins_to_wait(const char *path)
{
	pthread_t dropper;
	long deferred, waiting;

	make_file(path, DROPS);
	make_hot(path, 0, DROPS);
	enough = false;
	pthread_create(&dropper, NULL, drop_one_by_one, (void *)path);
	usleep(2 * DROP_US);
	set_parameter("read", 0);
	deferred = number_in(STATISTICS "pages_deferred");
	waiting = number_in(STATISTICS "waiting_pages");
	enough = true;
	pthread_join(dropper, NULL);
	deferred -= number_in(STATISTICS "pages_deferred");
	set_parameter("read", 1);
	return deferred || waiting;
}

static bool stops_before_a_free_has_ended(const char *path)
{
	int stop, early = 0;

	pin_to(0);
	set_parameter("fault_free_window_us", DROP_US);
	for (stop = 0; stop < STOPS; stop++)
		early += something_begins_to_wait(path);
	set_parameter("fault_free_window_us", 0);
	printf("%d of %d times something began to wait after reads were off\n", early, STOPS);
	return early;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "flag"))
		return flags_a_truncated_page(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "count"))
		return miscounts_waiting_pages(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "stop"))
		return stops_before_a_free_has_ended(argv[2]);
	errx(2, "usage: bookkeeping flag|count|stop FILE");
}
