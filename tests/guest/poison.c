// SPDX-License-Identifier: GPL-2.0
/*
 * poison DIRECTORY small|large [STATE]: memory errors on pages of hot files in each state
 * that a page cache page can be in, and what reads and the page's flags say after
 * them, a line each. The test runs it with the module off and on and compares.
 *
 * "waits" is the state that only the module knows: the page has left its file
 * while a reader without a reference is held over it (by the module's test
 * build), so it waits for a grace period. With the module off it is a free page.
 *
 * Lines that begin with "fault:" are wrong in either run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>

#include "window.h"

#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE	101
#endif
#define PAGES		16
#define LARGE_PAGES	512
/* The page that is hit; its neighbours stay as they are. */
#define HIT		5
#define WINDOW_US	60000
#define KPF_BUDDY	10
#define KPF_HWPOISON	19
#define HWPOISON	"/sys/kernel/debug/hwpoison/"
#define STATISTICS	"/sys/kernel/debug/refless/"
#define TAKEN_BYTES	(12L << 20)

enum action { CORRUPT, SOFT_OFFLINE, ADVISE_POISON, ADVISE_SOFT, NR_ACTIONS };

static const char *const action_names[] = {
	"corrupt-pfn", "soft_offline_page", "MADV_HWPOISON", "MADV_SOFT_OFFLINE"
};

enum state { CLEAN, DIRTY, MAPPED, MAPPED_DIRTY, PINNED, WAITS, NR_STATES };

static const char *const state_names[] = {
	"clean", "dirty", "mapped", "mapped and dirty", "in a pipe", "waits"
};

static const char *directory, *only;
static long pages;
static char path[4096], data[LARGE_PAGES * PAGE];
static sigjmp_buf after_sigbus;
static volatile sig_atomic_t sigbus_expected;

static const char *result(long ret)
{
	return ret < 0 ? strerrorname_np(errno) : "done";
}

static char original(long page)
{
	return 'a' + page % 16;
}

static ssize_t write_pages(int fd, int shift)
{
	long i;

	for (i = 0; i < pages; i++)
		memset(data + i * PAGE, original(i) + shift, PAGE);
	return pwrite(fd, data, pages * PAGE, 0);
}

static void entries_of(const char *file, uint64_t index, uint64_t *entries, int nr)
{
	int fd = open(file, O_RDONLY);

	if (fd < 0 || pread(fd, entries, nr * 8, index * 8) != nr * 8)
		err(2, "%s", file);
	close(fd);
}

static unsigned long pfn_in(uint64_t entry)
{
	return entry >> 63 ? entry & ((1UL << 55) - 1) : 0;
}

static unsigned long pfn_at(void *address)
{
	uint64_t entry;

	(void)*(volatile char *)address;
	entries_of("/proc/self/pagemap", (uintptr_t)address / PAGE, &entry, 1);
	return pfn_in(entry);
}

static bool page_is(unsigned long pfn, int flag)
{
	uint64_t flags;

	entries_of("/proc/kpageflags", pfn, &flags, 1);
	return flags >> flag & 1;
}

static unsigned long pfn_of_page(int fd, long page)
{
	char *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, page * PAGE);
	unsigned long pfn = pfn_at(map);

	munmap(map, PAGE);
	if (!pfn)
		errx(2, "no page frame: run as root");
	return pfn;
}

static long hardware_corrupted(void)
{
	FILE *meminfo = fopen("/proc/meminfo", "r");
	char line[128];
	long kb = -1;

	while (meminfo && fgets(line, sizeof(line), meminfo))
		if (sscanf(line, "HardwareCorrupted: %ld", &kb) == 1)
			break;
	fclose(meminfo);
	return kb;
}

static int write_number(const char *file, unsigned long number)
{
	int fd = open(file, O_WRONLY), ret;
	char text[32];

	snprintf(text, sizeof(text), "0x%lx", number);
	ret = fd < 0 ? -1 : (int)write(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	return ret;
}

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	if (sigbus_expected)
		siglongjmp(after_sigbus, 1);
}

static int inject(enum action action, unsigned long pfn, char *mapped)
{
	switch (action) {
	case CORRUPT:
		return write_number(HWPOISON "corrupt-pfn", pfn);
	case SOFT_OFFLINE:
		return write_number("/sys/devices/system/memory/soft_offline_page", pfn * PAGE);
	case ADVISE_POISON:
		return madvise(mapped, PAGE, MADV_HWPOISON);
	default:
		return madvise(mapped, PAGE, MADV_SOFT_OFFLINE);
	}
}

/* The kind of the page's bytes: which write they are of, zero, or none of these. */
static const char *kind_of(const char *from, size_t len, long page)
{
	size_t i;

	for (i = 1; i < len; i++)
		if (from[i] != from[0])
			return "mixed";
	if (from[0] == original(page))
		return "old";
	if (from[0] == original(page) - 32)
		return "new";
	return from[0] ? "FOREIGN" : "zero";
}

static void read_pages(int fd, const char *when)
{
	ssize_t got = 0;
	long page;
	int i;

	for (page = HIT - 1; page <= HIT + 1; page++) {
		/* So often that the last of them may go without a reference. */
		for (i = 0; i < HOT_READS; i++) {
			memset(data, 0xee, PAGE);
			got = pread(fd, data, PAGE, page * PAGE);
		}
		printf("  %s, page %+ld: %ld %s\n", when, page - HIT, got > 0 ? got : 0,
		       got > 0 ? kind_of(data, got, page) : result(got));
	}
	for (i = 0; i < 2; i++) {
		memset(data, 0xee, pages * PAGE);
		got = pread(fd, data, pages * PAGE, 0);
		printf("  %s, all: %s", when, got < 0 ? result(got) : "");
		for (page = 0; page < PAGES && (page + 1) * PAGE <= got; page++)
			printf(" %s", kind_of(data + page * PAGE, PAGE, page));
		printf(" %ld\n", got > 0 ? got : 0);
	}
}

static void touch(char *mapped)
{
	if (!mapped)
		return;
	sigbus_expected = 1;
	if (sigsetjmp(after_sigbus, 1))
		printf("  through the mapping: SIGBUS\n");
	else
		printf("  through the mapping: %s\n", kind_of(mapped, PAGE, HIT));
	sigbus_expected = 0;
}

/* Is the page in the hands of whoever asks for memory? */
static void look_for_reuse(const char *what, unsigned long pfn)
{
	char *memory = mmap(NULL, TAKEN_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static uint64_t entries[TAKEN_BYTES / PAGE];
	int pass, i;

	/* Each CPU keeps free pages of its own, the small and the huge ones apart. */
	for (pass = 0; pass < 4; pass++) {
		pin_to(pass & 1);
		madvise(memory, TAKEN_BYTES, pass & 2 ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
		memset(memory, 'X', TAKEN_BYTES);
		entries_of("/proc/self/pagemap", (uintptr_t)memory / PAGE, entries,
			   TAKEN_BYTES / PAGE);
		for (i = 0; i < TAKEN_BYTES / PAGE; i++)
			if (pfn_in(entries[i]) == pfn)
				printf("fault: %s: the page was allocated again\n", what);
		madvise(memory, TAKEN_BYTES, MADV_DONTNEED);
	}
	pin_to(0);
	munmap(memory, TAKEN_BYTES);
	if (page_is(pfn, KPF_BUDDY))
		printf("fault: %s: the page is in the allocator's lists\n", what);
}

/* Until nothing waits any more; a busy machine's grace periods take their time. */
static void wait_for_deferred(void)
{
	int tries = 1000;

	while (module_loaded() && number_in(STATISTICS "waiting_pages") && tries--)
		usleep(10000);
	if (tries < 0)
		printf("fault: pages wait for ever\n");
}

/* Where the kernel collects pages, with a reference on each; a CPU flushes its own. */
static void flush_lru_batches(int fd)
{
	int cpu;

	for (cpu = 1; cpu >= 0; cpu--) {
		pin_to(cpu);
		posix_fadvise(fd, 0, PAGE, POSIX_FADV_DONTNEED);
	}
}

static void unpoison(const char *what, unsigned long pfn, long corrupted)
{
	int ret = write_number(HWPOISON "unpoison-pfn", pfn);

	printf("  the mark is taken off: %s, mark %s\n", result(ret),
	       page_is(pfn, KPF_HWPOISON) ? "on" : "off");
	if (hardware_corrupted() != corrupted)
		printf("fault: %s: HardwareCorrupted is %ld kB, was %ld\n", what,
		       hardware_corrupted(), corrupted);
}

/* Another owner of the page whom no error handling can make let go. */
static void put_into_pipe(int fd, int *ends)
{
	off_t offset = HIT * PAGE;

	if (pipe(ends) || splice(fd, &offset, ends[1], NULL, 100, 0) != 100)
		err(2, "splice");
}

static int make_file(enum state state)
{
	int fd;

	unlink(path);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		err(2, "%s", path);
	if (write_pages(fd, 0) != pages * PAGE || fsync(fd))
		err(2, "%s", path);
	if ((state == DIRTY || state == MAPPED_DIRTY) && write_pages(fd, -32) != pages * PAGE)
		err(2, "%s", path);
	make_hot(path, 0, pages);
	return fd;
}

static void hit_in_use(enum state state, enum action action)
{
	int fd = make_file(state), ends[2] = { -1, -1 }, ret;
	long corrupted = hardware_corrupted();
	unsigned long pfn = pfn_of_page(fd, HIT);
	char *mapped = NULL, what[128];

	snprintf(what, sizeof(what), "%s, %s", state_names[state], action_names[action]);
	printf("== %s\n", what);
	if (state == MAPPED || state == MAPPED_DIRTY) {
		mapped = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, HIT * PAGE);
		(void)*(volatile char *)mapped;
	} else if (state == PINNED) {
		put_into_pipe(fd, ends);
	}

	ret = inject(action, pfn, mapped);
	printf("  injected: %s, mark %s\n", result(ret), page_is(pfn, KPF_HWPOISON) ? "on" : "off");
	read_pages(fd, "after it");
	touch(mapped);
	if (mapped)
		munmap(mapped, PAGE);
	ret = fsync(fd);
	printf("  fsync: %s\n", result(ret));
	if (state == PINNED) {
		close(ends[0]);
		close(ends[1]);
	}
	if (page_is(pfn, KPF_HWPOISON)) {
		look_for_reuse(what, pfn);
		printf("  written again: %ld\n", (long)write_pages(fd, 0));
		read_pages(fd, "after that");
		if (ftruncate(fd, 0))
			err(2, "%s", path);
		flush_lru_batches(fd);
		wait_for_deferred();
		look_for_reuse(what, pfn);
		unpoison(what, pfn, corrupted);
	}
	close(fd);
	unlink(path);
}

/* The page has left the file; with the module a reader may still copy from it. */
static void hit_waiting(struct held_read *held, enum action action)
{
	int fd = make_file(CLEAN), ret;
	long corrupted = hardware_corrupted(), waiting = 0;
	unsigned long pfn = pfn_of_page(fd, HIT);
	char what[128];
	bool read_on;
	ssize_t got;

	snprintf(what, sizeof(what), "%s, %s", state_names[WAITS], action_names[action]);
	printf("== %s\n", what);
	held_begin(held, "fault_copy_window_us", WINDOW_US, HIT * PAGE, PAGE);
	read_on = held_still_reading(held);
	if (ftruncate(fd, 0))
		err(2, "%s", path);
	if (module_loaded())
		waiting = number_in(STATISTICS "waiting_pages");
	ret = inject(action, pfn, NULL);
	printf("  injected: %s, mark %s\n", result(ret), page_is(pfn, KPF_HWPOISON) ? "on" : "off");
	got = held_end(held);
	/* The read found the page or the file's new end, whichever came first. */
	if (got && strcmp(kind_of(held->seen, got, HIT), "old"))
		printf("fault: the reader saw %s bytes\n", kind_of(held->seen, got, HIT));
	if (module_loaded() && (!read_on || waiting < 1))
		printf("fault: no page waited, the test says nothing\n");
	wait_for_deferred();
	if (page_is(pfn, KPF_HWPOISON)) {
		look_for_reuse(what, pfn);
		unpoison(what, pfn, corrupted);
	}
	close(fd);
	unlink(path);
}

/*
 * soft_offline_page() drops the last reference of the page and takes one again;
 * unpoisoning it drops that one too. All of it in one grace period.
 */
static void hit_and_undo(struct held_read *held)
{
	int fd = make_file(CLEAN), ret;
	unsigned long pfn = pfn_of_page(fd, HIT);
	long corrupted = hardware_corrupted();

	printf("== taken offline and back under a reader\n");
	held_begin(held, "fault_copy_window_us", WINDOW_US, HIT * PAGE, PAGE);
	ret = inject(SOFT_OFFLINE, pfn, NULL);
	printf("  injected: %s, mark %s\n", result(ret), page_is(pfn, KPF_HWPOISON) ? "on" : "off");
	if (page_is(pfn, KPF_HWPOISON))
		unpoison("taken offline and back", pfn, corrupted);
	ret = held_end(held);
	printf("  the reader: %s\n", ret > 0 ? kind_of(held->seen, ret, HIT) : result(ret));
	close(fd);
	unlink(path);
}

static bool wanted(const char *state)
{
	return !only || !strcmp(only, state);
}

static bool makes_sense(enum state state, enum action action)
{
	/* The kernel's functions are two; madvise() is another way to them. */
	switch (action) {
	case ADVISE_POISON:
		return state == MAPPED_DIRTY;
	case ADVISE_SOFT:
		return state == MAPPED;
	default:
		return true;
	}
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	struct held_read held;
	int state, action;

	if (argc < 3 || argc > 4 || (strcmp(argv[2], "small") && strcmp(argv[2], "large")))
		errx(2, "usage: poison DIRECTORY small|large [STATE]");
	directory = argv[1];
	only = argv[3];
	pages = strcmp(argv[2], "small") ? LARGE_PAGES : PAGES;
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "%s/poisoned", directory);
	sigaction(SIGBUS, &act, NULL);
	/* Dirty pages stay so. */
	write_number("/proc/sys/vm/dirty_writeback_centisecs", 0);
	held_start(&held, path, PAGE);

	for (state = 0; state < NR_STATES; state++) {
		for (action = 0; action < NR_ACTIONS; action++) {
			if (!makes_sense(state, action) || !wanted(state_names[state]))
				continue;
			if (state == WAITS)
				hit_waiting(&held, action);
			else
				hit_in_use(state, action);
		}
	}
	if (wanted("undone"))
		hit_and_undo(&held);
	held_stop(&held);
	return 0;
}
