// SPDX-License-Identifier: GPL-2.0
/*
 * window lookup|copy|evict FILE ROUNDS: frees and reuses a folio while a reader holds
 * it without a reference, with the module's test build stretching the moment.
 *
 * "copy": the reader has checked a flagged folio and is about to copy; its file
 * drops it, and anonymous memory takes what was freed. Only the deferred free
 * keeps the reader's bytes.
 *
 * "lookup": the reader has looked up a folio without the flag; its file drops
 * it, another file gets the memory, and reads of that one set the flag. Only the
 * second look at the slot tells the reader.
 *
 * "evict": the same, but before that second look the other file is deleted, and the
 * reader's own file has its page read in again; before the copy it drops it once more.
 * Had the folio come back to its slot, all would look right. Only that an evicted
 * file's folio waits for the grace period of its flag keeps it from there. FILE is
 * not on tmpfs, where nothing is read in.
 *
 * Prints how many reads returned bytes of something else; exits 1 if any did.
 */
#define _GNU_SOURCE
#include <sys/vfs.h>

#include "window.h"

#define WINDOW_US	400000
#define CHURN_BYTES	(256 * PAGE)
#define TMPFS_MAGIC	0x01021994

static const char *path;
static char other_path[4096];
static bool on_tmpfs;

/* A dirty page cannot be dropped, and a sync takes longer than a window. */
static void write_page(const char *file, int byte, bool clean)
{
	int fd = open(file, O_RDWR | O_CREAT, 0600);
	char data[PAGE];

	memset(data, byte, PAGE);
	if (fd < 0 || pwrite(fd, data, PAGE, 0) != PAGE || (clean && fsync(fd)))
		err(2, "%s", file);
	close(fd);
}

static void read_page_once(const char *file)
{
	int fd = open(file, O_RDONLY);
	char data[PAGE];

	if (pread(fd, data, PAGE, 0) != PAGE)
		err(2, "%s: short read", file);
	close(fd);
}

/* The module hears of no read: it might remember the folio from another file, and flag it. */
static void fault_in_page(const char *file)
{
	int fd = open(file, O_RDONLY);

	munmap(mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0), PAGE);
	close(fd);
}

/* Takes the folio out of the page cache; the reader's slot is empty after it. */
static void drop_page(const char *file)
{
	int fd = open(file, O_RDWR);

	if (on_tmpfs) {
		if (ftruncate(fd, 0) || ftruncate(fd, PAGE))
			err(2, "%s", file);
	} else {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	close(fd);
}

/* tmpfs's page is dropped by a truncation, which a read that fell back may see. */
static bool foreign(const struct held_read *held)
{
	int i;

	if (held->got != PAGE && !on_tmpfs)
		return true;
	for (i = 0; i < held->got; i++)
		if (held->seen[i] != 'A' && !(on_tmpfs && !held->seen[i]))
			return true;
	return false;
}

static bool foreign_in_copy(struct held_read *held)
{
	make_hot(path, 0, 1);
	held_begin(held, "fault_copy_window_us", WINDOW_US, 0, PAGE);
	drop_page(path);
	take_freed_memory(CHURN_BYTES);
	held_end(held);
	return foreign(held);
}

static bool foreign_in_lookup(struct held_read *held)
{
	read_page_once(path);
	held_begin(held, "fault_lookup_window_us", WINDOW_US, 0, PAGE);
	drop_page(path);
	write_page(other_path, 'B', false);
	make_hot(other_path, 0, 1);
	held_end(held);
	return foreign(held);
}

static bool foreign_in_eviction(struct held_read *held)
{
	fault_in_page(path);
	set_parameter("fault_reload_window_us", WINDOW_US);
	set_parameter("fault_copy_window_us", WINDOW_US);
	held_begin(held, "fault_lookup_window_us", WINDOW_US, 0, PAGE);
	drop_page(path);
	write_page(other_path, 'B', false);
	make_hot(other_path, 0, 1);

	held_next(held, "fault_reload_window_us");
	unlink(other_path);
	fault_in_page(path);

	held_next(held, "fault_copy_window_us");
	drop_page(path);
	take_freed_memory(CHURN_BYTES);
	held_end(held);
	return foreign(held);
}

static const struct {
	const char *name;
	bool (*foreign)(struct held_read *held);
} ways[] = {
	{ "copy", foreign_in_copy },
	{ "lookup", foreign_in_lookup },
	{ "evict", foreign_in_eviction },
	{ }
};

int main(int argc, char **argv)
{
	int rounds = argc == 4 ? atoi(argv[3]) : 0, round, wrong = 0, way = 0;
	struct held_read held;
	struct statfs fs;

	while (ways[way].name && (argc != 4 || strcmp(argv[1], ways[way].name)))
		way++;
	if (rounds <= 0 || !ways[way].name)
		errx(2, "usage: window lookup|copy|evict FILE ROUNDS");
	path = argv[2];
	snprintf(other_path, sizeof(other_path), "%s.other", path);
	write_page(path, 'A', true);
	statfs(path, &fs);
	on_tmpfs = fs.f_type == TMPFS_MAGIC;
	held_start(&held, path, PAGE);

	for (round = 1; round <= rounds; round++) {
		unlink(other_path);
		write_page(path, 'A', true);
		if (!on_tmpfs)
			drop_page(path);
		wrong += ways[way].foreign(&held);
	}
	held_stop(&held);
	unlink(other_path);
	printf("window %s: %d of %d reads returned foreign bytes\n", argv[1], wrong, rounds);
	return wrong != 0;
}
