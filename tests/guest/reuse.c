// SPDX-License-Identifier: GPL-2.0
/*
 * reuse [-f] HOW FILE ROUNDS [OTHER]: gives the memory of a hot file another owner or
 * another use while a reader without a reference is held over it (by the module's
 * test build), and looks at what the reader got. HOW is one of
 *
 *   swap      tmpfs: the page goes to swap
 *   migrate   the page moves to another node
 *   collapse  tmpfs: small pages become a large one
 *   split     huge tmpfs: a large folio becomes small ones, of which one is freed
 *   order     XFS: ... while the reader wants to know how large it is
 *   steal     the page is offered to OTHER, a virtio port, by way of a pipe
 *   fuse      ... to OTHER, a file of fuse-move, which then writes to it
 *   abort     f2fs: an atomic write is given up
 *   replace   f2fs: an atomic write replaces the file
 *   drop      the page leaves the page cache by FADV_DONTNEED
 *
 * Prints how often the page really left its place and how many reads returned
 * bytes that were never in the file. Exits 1 if any did, 3 if the page never left, 4
 * if it never did so while the reader was held, so that nothing is known. A busy machine
 * may keep the reader, or whoever takes the freed memory, from its part: then there are
 * more rounds, with the reader held for longer and more memory taken. With -f foreign
 * bytes are what is wanted, and there are more rounds until some were seen.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <time.h>

#include "window.h"

#define WINDOW_US	80000
#define LONG_WINDOW_US	400000
#define LARGE_PAGES	512
/*
 * A folio of so many pages lies within one node of the page cache's tree. The split of a
 * larger one changes the tree above its slot, which the reader notices in any case.
 */
#define ONE_NODE_PAGES	16
#define CHURN_BYTES	(2L << 20)
/* So many times the rounds asked for, at most. */
#define MORE_ROUNDS	5
#ifndef MADV_COLD
#define MADV_COLD	20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif
/* Of f2fs's user interface. */
#define F2FS_IOC_START_ATOMIC_WRITE	_IO(0xf5, 1)
#define F2FS_IOC_ABORT_ATOMIC_WRITE	_IO(0xf5, 5)
#define F2FS_IOC_START_ATOMIC_REPLACE	_IO(0xf5, 25)

struct way {
	const char *name;
	/* How large the file is, and the page and the length that are read. */
	long pages, page, len;
	const char *window;
	int window_us;
};

static const struct way ways[] = {
	{ "swap", 16, 3, PAGE, "fault_copy_window_us", WINDOW_US },
	{ "migrate", LARGE_PAGES * 4, LARGE_PAGES * 4 - 1, PAGE, "fault_copy_window_us",
	  WINDOW_US },
	{ "collapse", LARGE_PAGES, 3, PAGE, "fault_copy_window_us", LONG_WINDOW_US },
	{ "split", LARGE_PAGES, 300, PAGE, "fault_copy_window_us", WINDOW_US },
	{ "order", ONE_NODE_PAGES * 2, 0, ONE_NODE_PAGES * 2 * PAGE, "fault_order_window_us",
	  WINDOW_US },
	{ "steal", 1, 0, PAGE, "fault_copy_window_us", WINDOW_US },
	{ "fuse", 1, 0, PAGE, "fault_copy_window_us", WINDOW_US },
	{ "abort", 4, 1, PAGE, "fault_copy_window_us", LONG_WINDOW_US },
	{ "replace", 4, 1, PAGE, "fault_copy_window_us", LONG_WINDOW_US },
	{ "drop", 4, 1, PAGE, "fault_copy_window_us", LONG_WINDOW_US },
};

static const struct way *way;

static bool is(const char *name)
{
	return !strcmp(way->name, name);
}

static const char *path, *other;

static char byte_of(long page)
{
	return 'a' + page * 7 % 23;
}

static int open_file(void)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static void write_pages(int fd, long page, long pages, bool decoy)
{
	char *data = malloc(pages * PAGE);
	long i;

	for (i = 0; i < pages; i++)
		memset(data + i * PAGE, decoy ? 'X' : byte_of(page + i), PAGE);
	/* Dirty pages can neither be dropped nor stolen. */
	if (pwrite(fd, data, pages * PAGE, page * PAGE) != pages * PAGE || fsync(fd))
		err(2, "%s", path);
	free(data);
}

/* The later part first, and another file's memory on each side of the first part. */
static void write_apart(int fd, long pages)
{
	static int decoy;
	char name[4200];

	/* The last round's goes first. */
	if (decoy)
		close(decoy);
	snprintf(name, sizeof(name), "%s.decoy", path);
	decoy = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	unlink(name);

	write_pages(fd, ONE_NODE_PAGES, pages - ONE_NODE_PAGES, false);
	write_pages(decoy, 0, ONE_NODE_PAGES, true);
	write_pages(fd, 0, ONE_NODE_PAGES, false);
	write_pages(decoy, ONE_NODE_PAGES, ONE_NODE_PAGES, true);
}

/* Where the page is: its frame, or 0 if it is not in the page cache. */
static unsigned long frame_of(long page)
{
	int fd = open_file(), pagemap = open("/proc/self/pagemap", O_RDONLY);
	char *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, page * PAGE);
	unsigned char present = 0;
	uint64_t entry = 0;

	mincore(map, PAGE, &present);
	if (present & 1) {
		(void)*(volatile char *)map;
		if (pread(pagemap, &entry, 8, (uintptr_t)map / PAGE * 8) != 8)
			err(2, "pagemap");
	}
	munmap(map, PAGE);
	close(pagemap);
	close(fd);
	return entry & ((1UL << 55) - 1);
}

static void advise(long pages, int advice)
{
	int fd = open_file();
	/* A large page can only be mapped where one begins. */
	char *room = mmap(NULL, (pages + LARGE_PAGES) * PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *map = (char *)(((uintptr_t)room + LARGE_PAGES * PAGE - 1) & -(LARGE_PAGES * PAGE));

	map = mmap(map, pages * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	(void)*(volatile char *)map;
	if (madvise(map, pages * PAGE, advice))
		warn("madvise %d", advice);
	munmap(room, (pages + LARGE_PAGES) * PAGE);
	close(fd);
}

static void swap_out(long pages)
{
	advise(pages, MADV_PAGEOUT);
}

static void collapse(long pages)
{
	advise(pages, MADV_COLLAPSE);
}

static void drop(long pages)
{
	int fd = open_file();

	posix_fadvise(fd, 0, pages * PAGE, POSIX_FADV_DONTNEED);
	close(fd);
}

static void move_to_node(long pages, int node)
{
	static void *addresses[LARGE_PAGES * 8];
	static int nodes[LARGE_PAGES * 8], status[LARGE_PAGES * 8];
	int fd = open_file();
	char *map = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	long i;

	for (i = 0; i < pages; i++) {
		addresses[i] = map + i * PAGE;
		nodes[i] = node;
	}
	if (syscall(__NR_move_pages, 0, pages, addresses, nodes, status, 2 /* MPOL_MF_MOVE */))
		warn("move_pages");
	munmap(map, pages * PAGE);
	close(fd);
}

static void split(void)
{
	char text[4200];
	int fd = open("/sys/kernel/debug/split_huge_pages", O_WRONLY);

	snprintf(text, sizeof(text), "%s,0x0,0x%lx,0", path, way->pages);
	if (write(fd, text, strlen(text)) < 0)
		warn("split_huge_pages");
	close(fd);
}

static void punch(long page, long pages)
{
	int fd = open_file();

	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, page * PAGE, pages * PAGE))
		err(2, "punch");
	close(fd);
}

static void give_to_port(void)
{
	int fd = open_file(), port = open(other, O_WRONLY), ends[2];
	off_t from = 0;

	if (port < 0 || pipe(ends) || splice(fd, &from, ends[1], NULL, PAGE, 0) != PAGE ||
	    splice(ends[0], NULL, port, NULL, PAGE, SPLICE_F_MOVE) != PAGE)
		err(2, "%s", other);
	close(ends[0]);
	close(ends[1]);
	close(port);
	close(fd);
}

/* The file server answers with the page; what is written goes to the same memory. */
static void give_to_fuse(void)
{
	int fd = open(other, O_RDWR);
	char data[PAGE];

	posix_fadvise(fd, 0, PAGE, POSIX_FADV_DONTNEED);
	if (pread(fd, data, PAGE, 0) != PAGE || data[0] != byte_of(0))
		err(2, "%s", other);
	memset(data, 'X', PAGE);
	if (pwrite(fd, data, PAGE, 0) != PAGE)
		err(2, "%s", other);
	close(fd);
}

static int atomic_fd;

/* What needs the disk comes before the reader, who keeps a CPU from completing it. */
static void begin_atomic_write(void)
{
	atomic_fd = open_file();
	if (ioctl(atomic_fd, F2FS_IOC_START_ATOMIC_WRITE) ||
	    (is("replace") && ioctl(atomic_fd, F2FS_IOC_ABORT_ATOMIC_WRITE)))
		err(2, "%s: atomic write", path);
}

static void end_atomic_write(void)
{
	if (ioctl(atomic_fd, is("replace") ? F2FS_IOC_START_ATOMIC_REPLACE :
		  F2FS_IOC_ABORT_ATOMIC_WRITE))
		err(2, "%s: atomic write", path);
	close(atomic_fd);
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Before a migration starts, the kernel waits for all readers: so it starts first. */
static void *migrate_meanwhile(void *node)
{
	pin_to(0);
	move_to_node(way->pages, *(int *)node);
	return NULL;
}

/* A page in one has a reference more, and who wants to drop it flushes all CPUs'. */
static void flush_lru_batches(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*page = 1;
	madvise(page, PAGE, MADV_COLD);
	munmap(page, PAGE);
}

static void act(int times_churn)
{
	if (is("swap")) {
		swap_out(way->pages);
	} else if (is("collapse")) {
		collapse(way->pages);
	} else if (is("split")) {
		split();
		punch(way->page, 1);
	} else if (is("order")) {
		split();
	} else if (is("steal")) {
		give_to_port();
	} else if (is("fuse")) {
		give_to_fuse();
	} else if (is("abort") || is("replace")) {
		end_atomic_write();
	} else {
		drop(way->pages);
	}
	take_freed_memory(CHURN_BYTES * times_churn);
}

/* What was punched may also read as zero; what was replaced, not at all. */
static bool foreign(struct held_read *held)
{
	bool zero_too = is("split");
	ssize_t i;

	for (i = 0; i < held->got; i++) {
		if (!held->seen[i] && zero_too)
			continue;
		if (held->seen[i] != byte_of(way->page + i / PAGE))
			return true;
	}
	return false;
}

/* From this CPU's node, so that whoever takes memory next gets what is freed. */
static unsigned long round_of_migration(struct held_read *held)
{
	int node = 1;
	unsigned long frame;
	pthread_t thread;
	long began;

	/* How long it takes tells when its last page is about to move. */
	move_to_node(way->pages, !node);
	began = milliseconds();
	move_to_node(way->pages, node);
	began = milliseconds() - began + 1;
	move_to_node(way->pages, !node);
	/* In its new place it has no flag yet. */
	make_hot(path, way->page, 1);
	frame = frame_of(way->page);
	pthread_create(&thread, NULL, migrate_meanwhile, &node);
	usleep(began * 1000 / 2);
	held_begin(held, way->window, began * 4000, way->page * PAGE, way->len);
	pthread_join(thread, NULL);
	take_freed_memory(CHURN_BYTES * 8);
	return frame;
}

static bool in_another_place(unsigned long frame)
{
	/* Where a split is over, the head page stays what it was. */
	if (is("order"))
		return true;
	return frame_of(way->page) != frame;
}

int main(int argc, char **argv)
{
	bool want_foreign = argc > 1 && !strcmp(argv[1], "-f");
	int rounds, round, wrong = 0, moved = 0, held_long = 0;
	struct held_read held;
	size_t i;

	argc -= want_foreign;
	argv += want_foreign;
	rounds = argc > 3 ? atoi(argv[3]) : 0;

	for (i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, argv[1]))
			way = &ways[i];
	if (!way || rounds <= 0)
		errx(2, "usage: reuse [-f] HOW FILE ROUNDS [OTHER]");
	path = argv[2];
	other = argv[4];
	held_start(&held, path, way->len);

	for (round = 1; round <= rounds || (round <= MORE_ROUNDS * rounds &&
					    !(want_foreign ? wrong : held_long)); round++) {
		int longer = 1 + (round - 1) / rounds;
		unsigned long frame;
		int fd;

		if (!is("fuse"))
			unlink(path);
		fd = open_file();
		if (is("order"))
			write_apart(fd, way->pages);
		else
			write_pages(fd, 0, way->pages, false);
		close(fd);
		if (is("abort") || is("replace"))
			begin_atomic_write();
		make_hot(path, 0, way->pages);
		frame = frame_of(way->page);
		if (is("migrate")) {
			frame = round_of_migration(&held);
		} else {
			flush_lru_batches();
			held_begin(&held, way->window, way->window_us * longer,
				   way->page * PAGE, way->len);
			act(longer);
		}
		moved += in_another_place(frame);
		held_long += held_still_reading(&held);
		held_end(&held);
		wrong += foreign(&held);
	}
	held_stop(&held);
	unlink(path);
	printf("reuse %s: %d rounds, the page left %d times, %d times under the reader, ",
	       way->name, round - 1, moved, held_long);
	printf("%d reads returned foreign bytes\n", wrong);
	if (wrong)
		return 1;
	if (!moved)
		return 3;
	return held_long ? 0 : 4;
}
