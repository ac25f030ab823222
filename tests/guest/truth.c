// SPDX-License-Identifier: GPL-2.0
/*
 * truth [-a] SECONDS DIRECTORY...: readers check that they only ever see bytes of
 * their own file, at their own offset, and no older than what was there when
 * the read began, while other processes overwrite, truncate, punch, drop,
 * reclaim, migrate, split and compact.
 *
 * A file is an array of 8-byte words. Bytes 0 to 5 of a word name the file and
 * the word's index and never change; bytes 6 and 7 are both the generation, so
 * that a word torn between two writes still has two valid ones. Bytes wrap: what is
 * counted is wider, and a read that so many generations passed by says nothing of age.
 * Foreign memory is filled with CHURN by the churners, zeroed or poisoned by the kernel.
 *
 * Each file has one owner process that changes it. Before it makes bytes zero
 * it makes the page's sequence odd; a reader that saw the same even sequence
 * before and after its read demands full words of a generation that is not older
 * than the one published before. In between zeroes and short reads are legal.
 *
 * Ends early when a read was wrong. With -a the windows of the module's test build
 * are aimed at one reader, which reads nothing but the page that is recycled.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE		4096L
#define WORDS_IN_PAGE	(PAGE / 8)
#define FILES_IN_DIR	4
#define MAX_FILES	32
/* No reader's file. */
#define FOREIGN_FILE	200
/* More than it takes for a folio to be flagged. */
#define HOT_READS	8
#define PAGES		64
#define FILE_BYTES	(PAGES * PAGE)
/* The pages that most reads go to, so that they are hot. */
#define HOT_PAGES	4
/* A byte may be older by less than half its range, and is then told from newer ones. */
#define TOLD_APART	100
#define CHURN		0xc5
#define CHURN_BYTES	(4 << 20)
#define MAX_PROCESSES	128
#define TMPFS_MAGIC	0x01021994
#define WINDOW_PID	"/sys/module/refless/parameters/fault_window_pid"

struct file {
	char path[256];
	_Atomic unsigned int sequence[PAGES];
	_Atomic unsigned int generation[PAGES];
};

enum event {
	READS, BYTES, SHORT_READS, STRICT_CHECKS, OVERWRITES, TRUNCATIONS, PUNCHES, DIRECT_WRITES,
	MAPPED_WRITES, DROPS, MIGRATIONS, SPLITS, COMPACTIONS, UNLINKS, RECYCLINGS, CHURNS, WRONG,
	NR_EVENTS
};

static const char *const event_names[] = {
	"reads", "bytes", "short_reads", "strict_checks", "overwrites", "truncations", "punches",
	"direct_writes", "mapped_writes", "drops", "migrations", "splits", "compactions",
	"replacements", "recyclings", "churns", "wrong_reads"
};

struct shared {
	atomic_bool stop;
	_Atomic unsigned long events[NR_EVENTS];
	struct file files[MAX_FILES];
};

static struct shared *shared;
static int nr_files;
static uint64_t seed;

static void count(enum event event, unsigned long n)
{
	atomic_fetch_add_explicit(&shared->events[event], n, memory_order_relaxed);
}

static uint64_t rnd(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

static void make_word(unsigned char *word, int file, unsigned long index, unsigned char generation)
{
	word[0] = 0xf0 | file >> 4;
	word[1] = 0x50 | (file & 0xf);
	word[2] = 0x80 | (index >> 24);
	word[3] = index >> 16;
	word[4] = index >> 8;
	word[5] = index;
	word[6] = generation;
	word[7] = generation;
}

static void make_page(unsigned char *data, int file, unsigned long page, unsigned char generation)
{
	unsigned long i;

	for (i = 0; i < WORDS_IN_PAGE; i++)
		make_word(data + i * 8, file, page * WORDS_IN_PAGE + i, generation);
}

/* @aged: whether a generation byte tells what is older than @oldest. */
static bool byte_is_right(int file, unsigned long offset, unsigned char byte, unsigned char oldest,
			  bool strict, bool aged)
{
	unsigned char word[8];

	if (!strict && !byte)
		return true;
	make_word(word, file, offset / 8, oldest);
	if (offset % 8 < 6)
		return byte == word[offset % 8];
	return !strict || !aged || (signed char)(byte - oldest) >= 0;
}

static void complain(int file, unsigned long offset, const unsigned char *data, size_t len,
		     size_t at, unsigned char oldest, bool strict)
{
	size_t i, from = at & ~7ul;

	if (atomic_fetch_add(&shared->events[WRONG], 1) > 20)
		return;
	printf("WRONG BYTE: %s offset %lu+%zu of %zu, %s, oldest generation %u:",
	       shared->files[file].path, offset, at, len, strict ? "strict" : "lenient", oldest);
	for (i = from; i < from + 16 && i < len; i++)
		printf(" %02x", data[i]);
	printf("\n");
	fflush(stdout);
}

struct claim {
	unsigned int sequence[PAGES];
	unsigned int generation[PAGES];
};

static void claim_before(struct file *file, struct claim *claim, unsigned long from,
			 unsigned long to)
{
	unsigned long page;

	for (page = from; page <= to; page++) {
		claim->sequence[page] = file->sequence[page];
		claim->generation[page] = file->generation[page];
	}
}

static void check(int id, struct claim *claim, unsigned long offset, const unsigned char *data,
		  size_t len, size_t want)
{
	struct file *file = &shared->files[id];
	size_t i, end;

	for (i = 0; i < want; i = end) {
		unsigned long page = (offset + i) / PAGE;
		bool strict = !(claim->sequence[page] & 1) &&
			      file->sequence[page] == claim->sequence[page];
		bool aged = file->generation[page] - claim->generation[page] < TOLD_APART;
		unsigned char oldest = claim->generation[page];

		end = (page + 1) * PAGE - offset;
		if (end > want)
			end = want;
		if (strict) {
			count(STRICT_CHECKS, 1);
			if (len < end) {
				/* The size was whole all the time, and so is the read. */
				complain(id, offset, data, len, len ? len - 1 : 0, oldest, true);
				return;
			}
		}
		for (; i < end && i < len; i++)
			if (!byte_is_right(id, offset + i, data[i], oldest, strict, aged)) {
				complain(id, offset, data, len, i, oldest, strict);
				return;
			}
	}
}

static ssize_t read_somehow(int fd, unsigned char *to, size_t len, off_t offset)
{
	struct iovec v[3];
	size_t a, b;

	switch (rnd(8)) {
	case 0:
		a = rnd(len + 1);
		b = rnd(len - a + 1);
		v[0] = (struct iovec) { to, a };
		v[1] = (struct iovec) { to + a, b };
		v[2] = (struct iovec) { to + a + b, len - a - b };
		return preadv(fd, v, 3, offset);
	case 1:
		if (lseek(fd, offset, SEEK_SET) != offset)
			return -1;
		return read(fd, to, len);
	default:
		return pread(fd, to, len, offset);
	}
}

static void reader(int worker)
{
	unsigned char *data = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct claim claim;

	while (!shared->stop) {
		int id = (worker + rnd(2)) % nr_files, fd, i;

		fd = open(shared->files[id].path, O_RDONLY);
		if (fd < 0)
			continue;
		for (i = 0; i < 500 && !shared->stop; i++) {
			off_t offset = rnd(16) ? rnd(HOT_PAGES * PAGE) : rnd(FILE_BYTES);
			size_t len = rnd(4) ? 1 + rnd(64) : 1 + rnd(rnd(8) ? 8192 : FILE_BYTES);
			ssize_t got;

			if (rnd(4) == 0)
				offset = 0;
			if (offset + (off_t)len > FILE_BYTES)
				len = FILE_BYTES - offset;
			/* A fresh buffer now and then, which faults. */
			if (rnd(256) == 0)
				madvise(data, FILE_BYTES, MADV_DONTNEED);
			claim_before(&shared->files[id], &claim, offset / PAGE,
				     (offset + len - 1) / PAGE);
			got = read_somehow(fd, data, len, offset);
			if (got < 0) {
				printf("WRONG: read of %s: %s\n", shared->files[id].path,
				       strerror(errno));
				count(WRONG, 1);
				continue;
			}
			count(READS, 1);
			count(BYTES, got);
			if ((size_t)got < len)
				count(SHORT_READS, 1);
			check(id, &claim, offset, data, got, len);
		}
		close(fd);
	}
}

static bool on_tmpfs(int id)
{
	struct statfs fs;

	return !statfs(shared->files[id].path, &fs) && fs.f_type == TMPFS_MAGIC;
}

static void publish(struct file *file, unsigned long page, unsigned int generation)
{
	file->generation[page] = generation;
}

static bool overwrite(int fd, int id, unsigned long page, unsigned long pages, bool direct)
{
	static _Alignas(PAGE) unsigned char data[16 * PAGE];
	struct file *file = &shared->files[id];
	unsigned long i;

	for (i = 0; i < pages; i++)
		make_page(data + i * PAGE, id, page + i, file->generation[page + i] + 1);
	if (pwrite(fd, data, pages * PAGE, page * PAGE) != (ssize_t)(pages * PAGE)) {
		/* Memory may be short. The pages may be in part new: claim nothing of them. */
		for (i = 0; i < pages; i++)
			file->sequence[page + i] |= 1;
		return false;
	}
	for (i = 0; i < pages; i++)
		publish(file, page + i, file->generation[page + i] + 1);
	count(direct ? DIRECT_WRITES : OVERWRITES, 1);
	return true;
}

static void write_mapped(unsigned char *map, int id, unsigned long page)
{
	struct file *file = &shared->files[id];
	unsigned int generation = file->generation[page] + 1;

	make_page(map + page * PAGE, id, page, generation);
	publish(file, page, generation);
	count(MAPPED_WRITES, 1);
}

/* Zeroes some pages in one way or another, then writes them again. */
static void destroy(int fd, int id)
{
	struct file *file = &shared->files[id];
	unsigned long from = rnd(PAGES), to = from + 1 + rnd(PAGES - from), i;
	bool truncates = rnd(2);

	if (truncates)
		to = PAGES;
	for (i = from; i < to; i++)
		file->sequence[i] |= 1;
	if (truncates) {
		if (ftruncate(fd, from * PAGE + rnd(PAGE)) || ftruncate(fd, FILE_BYTES))
			warn("ftruncate");
		count(TRUNCATIONS, 1);
	} else {
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from * PAGE,
			  (to - from) * PAGE);
		count(PUNCHES, 1);
	}
	for (i = from; i < to; i++) {
		/* On to the next even number. */
		if (overwrite(fd, id, i, 1, false))
			file->sequence[i]++;
	}
}

/* Another inode takes the path; readers keep the old one, whose bytes stay right. */
static void replace(int *fd, unsigned char **map, int id)
{
	struct file *file = &shared->files[id];
	char path[300];
	unsigned long i;
	int new;

	snprintf(path, sizeof(path), "%s.new", file->path);
	new = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (new < 0 || ftruncate(new, FILE_BYTES)) {
		warn("%s", path);
		return;
	}
	for (i = 0; i < PAGES; i++)
		overwrite(new, id, i, 1, false);
	if (*map != MAP_FAILED)
		munmap(*map, FILE_BYTES);
	close(*fd);
	*fd = new;
	*map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, new, 0);
	if (rename(path, file->path))
		err(1, "rename %s", path);
	count(UNLINKS, 1);
}

/*
 * What the second look at the slot is there for: a folio that a reader has just
 * looked up is dropped, and its memory becomes the hot folio of another file.
 */
static void recycle(int fd, int id)
{
	static unsigned char data[PAGE];
	char path[300];
	int other, n;

	if (on_tmpfs(id))
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, PAGE);
	else
		posix_fadvise(fd, 0, PAGE, POSIX_FADV_DONTNEED);
	snprintf(path, sizeof(path), "%s.recycled", shared->files[id].path);
	other = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	make_page(data, FOREIGN_FILE, 0, 0);
	if (other < 0 || pwrite(other, data, PAGE, 0) != PAGE)
		warn("%s", path);
	for (n = 0; n < HOT_READS; n++)
		if (pread(other, data, PAGE, 0) < 0)
			warn("%s", path);
	close(other);
	if (on_tmpfs(id))
		overwrite(fd, id, 0, 1, false);
	count(RECYCLINGS, 1);
}

/* Its file stays as it is, but for the first page's folio; on tmpfs that is zero at times. */
static void recycler(int id)
{
	int fd = open(shared->files[id].path, O_RDWR);

	if (on_tmpfs(id))
		shared->files[id].sequence[0] |= 1;
	fsync(fd);
	while (!shared->stop) {
		recycle(fd, id);
		usleep(rnd(1000));
	}
}

/*
 * Three kinds of owner: the first only overwrites, so that its readers can be
 * strict; the second destroys and rewrites; the third replaces the file, and
 * writes it with O_DIRECT too, which by the kernel's own word may leave old pages
 * in the cache: its readers are never strict. A fourth file has a recycler.
 */
static void owner(int id)
{
	struct file *file = &shared->files[id];
	int fd = open(file->path, O_RDWR);
	int direct = open(file->path, O_WRONLY | O_DIRECT);
	unsigned char *map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool destroys = id % FILES_IN_DIR == 1, replaces = id % FILES_IN_DIR == 2;
	unsigned long i;

	for (i = 0; replaces && i < PAGES; i++)
		file->sequence[i] |= 1;

	while (!shared->stop) {
		unsigned long page = rnd(2) ? rnd(HOT_PAGES) : rnd(PAGES);
		unsigned long pages = 1 + rnd(16);

		if (page + pages > PAGES)
			pages = PAGES - page;
		switch (rnd(10)) {
		case 0:
			if (destroys)
				destroy(fd, id);
			break;
		case 1:
			if (replaces && direct >= 0)
				overwrite(direct, id, page, pages, true);
			break;
		case 2:
			if (map != MAP_FAILED)
				write_mapped(map, id, page);
			break;
		case 3:
			if (replaces && rnd(20) == 0) {
				close(direct);
				replace(&fd, &map, id);
				direct = open(file->path, O_WRONLY | O_DIRECT);
			}
			break;
		default:
			overwrite(fd, id, page, pages, false);
		}
		/* Lets the folios get hot between two changes. */
		usleep(rnd(20000));
	}
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0 && errno != EAGAIN && errno != EBUSY)
		warn("%s", path);
	close(fd);
}

static void dropper(int unused)
{
	(void)unused;
	while (!shared->stop) {
		int id = rnd(nr_files), fd;

		if (rnd(8) == 0) {
			write_text("/proc/sys/vm/drop_caches", "1");
		} else {
			fd = open(shared->files[id].path, O_RDONLY);
			if (fd >= 0) {
				sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE |
						SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
				posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
				close(fd);
			}
		}
		count(DROPS, 1);
		usleep(rnd(30000));
	}
}

static void migrator(int unused)
{
	(void)unused;
	while (!shared->stop) {
		int id = rnd(nr_files), fd = open(shared->files[id].path, O_RDONLY), node, status;
		unsigned char *map;
		unsigned long page;

		if (fd < 0)
			continue;
		map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		for (page = 0; map != MAP_FAILED && page < PAGES; page += 1 + rnd(4)) {
			void *address = map + page * PAGE;

			madvise(address, PAGE, MADV_POPULATE_READ);
			node = rnd(2);
			syscall(__NR_move_pages, 0, 1, &address, &node, &status, 2);
			count(MIGRATIONS, 1);
		}
		if (map != MAP_FAILED)
			munmap(map, FILE_BYTES);
		close(fd);
		usleep(rnd(20000));
	}
}

static void splitter(int unused)
{
	(void)unused;
	while (!shared->stop) {
		int id = rnd(nr_files), order;
		char text[400];

		/* The kernel warns of any other order for shmem. */
		order = on_tmpfs(id) ? 0 : rnd(3);
		snprintf(text, sizeof(text), "%s,0x0,0x%x,%d", shared->files[id].path, PAGES,
			 order);
		write_text("/sys/kernel/debug/split_huge_pages", text);
		count(SPLITS, 1);
		if (rnd(10) == 0) {
			write_text("/proc/sys/vm/compact_memory", "1");
			count(COMPACTIONS, 1);
		}
		usleep(rnd(100000));
	}
}

/* Takes freed pages and fills them with bytes that belong to no file. */
static void churner(int unused)
{
	(void)unused;
	while (!shared->stop) {
		unsigned char *memory = mmap(NULL, CHURN_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			continue;
		memset(memory, CHURN, CHURN_BYTES);
		munmap(memory, CHURN_BYTES);
		count(CHURNS, 1);
		usleep(rnd(10000));
	}
}

/* The windows are its alone, so that the recycler has the CPUs while it waits. */
static void aimed_reader(int id)
{
	int fd = open(shared->files[id].path, O_RDONLY);
	unsigned char data[64];
	struct claim claim;
	char pid[16];
	ssize_t got;

	snprintf(pid, sizeof(pid), "%d", getpid());
	write_text(WINDOW_PID, pid);
	while (!shared->stop) {
		claim_before(&shared->files[id], &claim, 0, 0);
		got = pread(fd, data, sizeof(data), 0);
		count(READS, 1);
		if (got > 0)
			check(id, &claim, 0, data, got, sizeof(data));
	}
}

static pid_t children[MAX_PROCESSES];
static int nr_children;

static void start(void (*role)(int), int argument)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		seed = seed * 31 + getpid();
		role(argument);
		exit(0);
	}
	children[nr_children++] = pid;
}

static void create_files(int argc, char **argv)
{
	int dir, i, fd;
	unsigned long page;

	for (dir = 2; dir < argc; dir++)
		for (i = 0; i < FILES_IN_DIR; i++) {
			struct file *file = &shared->files[nr_files];

			snprintf(file->path, sizeof(file->path), "%s/truth.%d", argv[dir], i);
			fd = open(file->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
			if (fd < 0 || ftruncate(fd, FILE_BYTES))
				err(1, "%s", file->path);
			for (page = 0; page < PAGES; page += 16)
				overwrite(fd, nr_files, page, 16, false);
			close(fd);
			nr_files++;
		}
}

int main(int argc, char **argv)
{
	bool aimed = argc > 1 && !strcmp(argv[1], "-a");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int seconds, i, status, failed = 0;

	argc -= aimed;
	argv += aimed;
	seconds = argc > 2 ? atoi(argv[1]) : 0;
	if (seconds <= 0 || (argc - 2) * FILES_IN_DIR > MAX_FILES)
		errx(2, "usage: truth [-a] SECONDS DIRECTORY...");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	seed = time(NULL);
	printf("seed %lu\n", (unsigned long)seed);
	create_files(argc, argv);
	fflush(stdout);
	for (i = 0; i < 2 * cpus; i++)
		start(reader, i);
	for (i = 0; i < nr_files; i++)
		start(i % FILES_IN_DIR == FILES_IN_DIR - 1 ? recycler : owner, i);
	if (aimed)
		start(aimed_reader, FILES_IN_DIR - 1);
	start(dropper, 0);
	start(migrator, 0);
	start(splitter, 0);
	start(churner, 0);
	start(churner, 1);
	while (seconds-- && !shared->events[WRONG])
		sleep(1);
	shared->stop = true;
	for (i = 0; i < nr_children; i++) {
		waitpid(children[i], &status, 0);
		failed |= status;
	}
	for (i = 0; i < NR_EVENTS; i++)
		printf("%s %lu\n", event_names[i], shared->events[i]);
	printf("truth: %s\n", shared->events[WRONG] || failed ? "FAILURE" : "SUCCESS");
	return shared->events[WRONG] || failed;
}
