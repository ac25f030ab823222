// SPDX-License-Identifier: GPL-2.0
/*
 * differential DIRECTORY [huge]: a fixed sequence of system calls on files in
 * DIRECTORY, each result printed on a line: what was called, the return value or
 * errno, a hash of the bytes. The test runs it with the module off and on and
 * compares the two outputs. Each read is done often enough for its folios to be
 * hot, so that with the module on the last ones take no reference.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGE		4096L
#define FILE_BYTES	(10000 + 40 * PAGE)
#define BUFFER_BYTES	(1 << 20)
/* More than it takes for a folio to be flagged, and some to use the flag. */
#define REPEAT		8
#define TMPFS_MAGIC	0x01021994

static char *buffer;
static const char *directory;
static bool on_tmpfs;

static void *anonymous(size_t len)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static uint64_t hash(const void *data, size_t len)
{
	const unsigned char *byte = data;
	uint64_t h = 0xcbf29ce484222325;

	while (len--)
		h = (h ^ *byte++) * 0x100000001b3;
	return h;
}

/* What a call returned, and the whole buffer, beyond the returned length too. */
static void report(const char *what, long a, long b, ssize_t ret, size_t guard)
{
	if (ret < 0)
		printf("%s %ld %ld: %s\n", what, a, b, strerrorname_np(errno));
	else
		printf("%s %ld %ld: %zd %016lx\n", what, a, b, ret, hash(buffer, guard));
}

static void clear_buffer(size_t len)
{
	memset(buffer, 0xee, len);
}

static void do_pread(int fd, off_t offset, size_t len)
{
	ssize_t ret = 0;
	int i;

	for (i = 0; i < REPEAT; i++) {
		clear_buffer(len);
		ret = pread(fd, buffer, len, offset);
	}
	report("pread", offset, len, ret, len);
}

static void read_positioned(int fd, off_t offset, size_t len)
{
	ssize_t ret;
	int i;

	for (i = 0; i < 3; i++) {
		clear_buffer(len);
		lseek(fd, offset, SEEK_SET);
		ret = read(fd, buffer, len);
		report("read", offset, len, ret, len);
		printf("  position %ld\n", (long)lseek(fd, 0, SEEK_CUR));
	}
}

static void read_vectors(int fd, off_t offset)
{
	struct iovec v[] = {
		{ NULL, 0 }, { buffer, 7 }, { buffer + 100, 0 }, { buffer + 200, 5000 },
		{ buffer + 6000, 1 }, { buffer + 7000, 9000 },
	};
	ssize_t ret;

	clear_buffer(20000);
	ret = preadv(fd, v, 6, offset);
	report("preadv", offset, 6, ret, 20000);
	lseek(fd, offset, SEEK_SET);
	ret = readv(fd, v, 4);
	report("readv", offset, 4, ret, 20000);
	printf("  position %ld\n", (long)lseek(fd, 0, SEEK_CUR));
}

static void read_nowait(int fd, off_t offset, size_t len)
{
	struct iovec v = { buffer, len };
	ssize_t ret;

	clear_buffer(len);
	/* All of it is in the page cache, as it was just read. */
	pread(fd, buffer, len, offset);
	clear_buffer(len);
	ret = preadv2(fd, &v, 1, offset, RWF_NOWAIT);
	report("preadv2 nowait", offset, len, ret, len);
	ret = preadv2(fd, &v, 1, offset, 0x40000000);
	report("preadv2 unknown flag", offset, len, ret, len);
}

struct ring {
	int fd;
	struct io_uring_params params;
	char *submission, *completion;
	struct io_uring_sqe *sqes;
};

static bool ring_open(struct ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(__NR_io_uring_setup, 4, &ring->params);
	if (ring->fd < 0)
		return false;
	ring->submission = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
				ring->fd, IORING_OFF_SQ_RING);
	ring->completion = ring->submission;
	ring->sqes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			  ring->fd, IORING_OFF_SQES);
	return ring->submission != MAP_FAILED && ring->sqes != MAP_FAILED;
}

static int ring_read(struct ring *ring, int opcode, int fd, void *to, size_t len, off_t offset)
{
	struct io_uring_params *p = &ring->params;
	unsigned int *tail = (unsigned int *)(ring->submission + p->sq_off.tail);
	unsigned int *array = (unsigned int *)(ring->submission + p->sq_off.array);
	unsigned int *mask = (unsigned int *)(ring->submission + p->sq_off.ring_mask);
	unsigned int *head = (unsigned int *)(ring->completion + p->cq_off.head);
	struct io_uring_cqe *cqes = (void *)(ring->completion + p->cq_off.cqes);
	unsigned int *cq_mask = (unsigned int *)(ring->completion + p->cq_off.ring_mask);
	unsigned int slot = *tail & *mask;
	int result;

	ring->sqes[slot] = (struct io_uring_sqe) {
		.opcode = opcode, .fd = fd, .off = offset, .addr = (uintptr_t)to, .len = len,
	};
	array[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -errno;
	result = cqes[*head & *cq_mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static void read_io_uring(int fd, off_t offset, size_t len)
{
	struct iovec fixed = { buffer, BUFFER_BYTES };
	struct ring ring;
	ssize_t ret;

	if (!ring_open(&ring)) {
		printf("io_uring: %s\n", strerrorname_np(errno));
		return;
	}
	clear_buffer(len);
	ret = ring_read(&ring, IORING_OP_READ, fd, buffer, len, offset);
	errno = ret < 0 ? -ret : 0;
	report("io_uring", offset, len, ret, len);
	/* A registered buffer reaches the file system as an array of pages. */
	if (!syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &fixed, 1)) {
		clear_buffer(len);
		ret = ring_read(&ring, IORING_OP_READ_FIXED, fd, buffer, len, offset);
		errno = ret < 0 ? -ret : 0;
		report("io_uring fixed", offset, len, ret, len);
	}
	munmap(ring.submission, 4096);
	munmap(ring.sqes, 4096);
	close(ring.fd);
}

static void read_back(int fd, const char *what, off_t offset, size_t len, ssize_t ret)
{
	int saved = errno;

	clear_buffer(len);
	if (ret > 0 && pread(fd, buffer, ret, 0) != ret)
		printf("read back failed\n");
	errno = saved;
	report(what, offset, len, ret, len);
}

static void move_data(int fd, off_t offset, size_t len)
{
	int out = memfd_create("out", 0), pipes[2], copy;
	off_t from = offset;
	char path[4096];
	ssize_t ret;

	ret = sendfile(out, fd, &from, len);
	read_back(out, "sendfile", offset, len, ret);
	close(out);

	if (pipe(pipes))
		err(1, "pipe");
	fcntl(pipes[1], F_SETPIPE_SZ, BUFFER_BYTES);
	from = offset;
	clear_buffer(len);
	ret = splice(fd, &from, pipes[1], NULL, len, 0);
	if (ret > 0 && read(pipes[0], buffer, ret) != ret)
		printf("the pipe is short\n");
	report("splice", offset, len, ret, len);
	close(pipes[0]);
	close(pipes[1]);

	snprintf(path, sizeof(path), "%s/copy", directory);
	copy = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	from = offset;
	ret = copy_file_range(fd, &from, copy, NULL, len, 0);
	read_back(copy, "copy_file_range", offset, len, ret);
	close(copy);
	unlink(path);
}

/* The same reads after each thing that was done to the file. */
static void battery(int fd, const char *after)
{
	static const size_t lengths[] = { 0, 1, 16, 100, 4096, 5000, 65536, 300000 };
	struct stat st;
	off_t offsets[12];
	size_t i, j;

	fstat(fd, &st);
	printf("== %s: size %ld\n", after, (long)st.st_size);
	memcpy(offsets, (off_t[]) { 0, 1, 100, 4095, 4096, 4097, 65536 - 8 }, 7 * sizeof(off_t));
	offsets[7] = st.st_size - 1;
	offsets[8] = st.st_size;
	offsets[9] = st.st_size + 1;
	offsets[10] = st.st_size - 4097;
	offsets[11] = (st.st_size & ~(PAGE - 1)) - 3;
	for (i = 0; i < 12; i++)
		for (j = 0; j < 8; j++)
			if (offsets[i] >= 0)
				do_pread(fd, offsets[i], lengths[j]);
	for (i = 0; i < 12; i += 3) {
		if (offsets[i] < 0)
			continue;
		read_positioned(fd, offsets[i], 5000);
		read_vectors(fd, offsets[i]);
		read_nowait(fd, offsets[i], 100);
		read_io_uring(fd, offsets[i], 9000);
		move_data(fd, offsets[i], 9000);
	}
}

static void fill(char *data, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = seed >> 24 | 1;
	}
}

static void write_file(int fd, off_t offset, size_t len, unsigned int seed)
{
	static char data[FILE_BYTES];

	fill(data, len, seed);
	if (pwrite(fd, data, len, offset) != (ssize_t)len)
		printf("pwrite %ld %zu: %s\n", (long)offset, len, strerrorname_np(errno));
}

static int new_file(const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	if (fd < 0)
		err(1, "%s", path);
	write_file(fd, 0, FILE_BYTES, 1);
	return fd;
}

static void edges(int fd)
{
	static const off_t offsets[] = {
		-1, INT64_MAX, INT64_MAX - 255, INT64_MAX - 4096, (16L << 40) - 4096,
		(16L << 40) - 4097, (8L << 50), 1L << 44, (1L << 44) - 1, (1L << 32) * PAGE,
	};
	char *volatile nowhere = NULL;
	size_t i;

	printf("== edges\n");
	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
		do_pread(fd, offsets[i], 100);
		do_pread(fd, offsets[i], 0);
	}
	errno = 0;
	report("pread NULL 0", 0, 0, pread(fd, nowhere, 0, 0), 0);
	report("pread NULL at EOF", 0, 0, pread(fd, nowhere, 1, FILE_BYTES), 0);
	report("pread kernel address", 0, 0, pread(fd, (void *)-4096L, 0, 0), 0);
	report("pread kernel address 1", 0, 1, pread(fd, (void *)-4096L, 1, 0), 0);
	report("pread text", 0, 16, pread(fd, (void *)edges, 16, 0), 0);
}

/* Buffers that fault, half of them or all; page 0 and 2 of "bad" are mapped. */
static void faulting_buffers(int fd)
{
	char *bad = anonymous(3 * PAGE);
	struct iovec v[3];
	ssize_t ret;
	int i;

	printf("== faulting buffers\n");
	for (i = 0; i < REPEAT; i++)
		pread(fd, buffer, 20000, 0);
	memset(bad, 0xee, 3 * PAGE);
	mprotect(bad + PAGE, PAGE, PROT_NONE);
	for (i = 0; i < 3; i++) {
		ret = pread(fd, bad, 2 * PAGE, 0);
		report("into ok, bad", 0, 2 * PAGE, ret, 0);
		ret = pread(fd, bad + PAGE - 100, 200, 3);
		report("100 into bad", 3, 200, ret, 0);
		printf("  %016lx\n", hash(bad, PAGE));
		ret = pread(fd, bad + PAGE, 100, 0);
		report("into bad", 0, 100, ret, 0);
		ret = pread(fd, bad, 3 * PAGE, 17);
		report("ok, bad, ok", 17, 3 * PAGE, ret, 0);
		v[0] = (struct iovec) { bad, 100 };
		v[1] = (struct iovec) { bad + PAGE, 100 };
		v[2] = (struct iovec) { bad + 2 * PAGE, 100 };
		lseek(fd, 50, SEEK_SET);
		ret = readv(fd, v, 3);
		report("readv ok, bad, ok", 50, 300, ret, 0);
		printf("  position %ld %016lx\n", (long)lseek(fd, 0, SEEK_CUR), hash(bad, PAGE));
		ret = readv(fd, v + 1, 2);
		report("readv bad, ok", 0, 200, ret, 0);
		printf("  position %ld %016lx\n", (long)lseek(fd, 0, SEEK_CUR),
		       hash(bad + 2 * PAGE, PAGE));
	}
	/* Never touched: each page has to be faulted in. */
	munmap(bad, 3 * PAGE);
	bad = anonymous(32 * PAGE);
	ret = pread(fd, bad, 32 * PAGE, 5);
	report("into untouched", 5, 32 * PAGE, ret, 0);
	printf("  %016lx\n", hash(bad, 32 * PAGE));
	mprotect(bad, 32 * PAGE, PROT_READ);
	report("into read-only", 0, 100, pread(fd, bad, 100, 0), 0);
	munmap(bad, 32 * PAGE);
}

static void map_of_same_page(int fd)
{
	char *map = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ssize_t ret;

	printf("== a mapping of the same page\n");
	ret = pread(fd, map, 100, 0);
	report("same page", 0, 100, ret, 0);
	ret = pread(fd, map + PAGE - 50, 100, 50);
	report("same and next page", 50, 100, ret, 0);
	madvise(map, 4 * PAGE, MADV_DONTNEED);
	ret = pread(fd, map + 10, PAGE, 10);
	report("same page unmapped", 10, PAGE, ret, 0);
	ret = pread(fd, map + 2 * PAGE, 2 * PAGE, 2 * PAGE);
	report("same two pages", 2 * PAGE, 2 * PAGE, ret, 0);
	printf("  %016lx\n", hash(map, 4 * PAGE));
	strcpy(map + 200, "written through the mapping");
	munmap(map, 4 * PAGE);
	do_pread(fd, 190, 64);
}

static void *fault_in(void *arg)
{
	int uffd = *(int *)arg;
	struct uffd_msg msg;

	while (read(uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		struct uffdio_zeropage zero = {
			.range = { msg.arg.pagefault.address & ~(PAGE - 1), PAGE },
		};

		usleep(20000);
		ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

static void userfault_buffer(int fd)
{
	int uffd = syscall(__NR_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range;
	pthread_t thread;
	ssize_t ret;
	char *to;

	printf("== a buffer of userfaultfd\n");
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api)) {
		printf("userfaultfd: %s\n", strerrorname_np(errno));
		return;
	}
	to = anonymous(4 * PAGE);
	range = (struct uffdio_register) {
		.range = { (uintptr_t)to, 4 * PAGE }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	ioctl(uffd, UFFDIO_REGISTER, &range);
	pthread_create(&thread, NULL, fault_in, &uffd);
	ret = pread(fd, to + 100, 3 * PAGE, 33);
	report("into userfault", 33, 3 * PAGE, ret, 0);
	printf("  %016lx\n", hash(to, 4 * PAGE));
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	munmap(to, 4 * PAGE);
	close(uffd);
}

static void echo(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
		close(fd);
	}
}

/* Swaps tmpfs out, where there is swap. */
static void page_out(int fd)
{
	char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	volatile char sink;
	long i;

	for (i = 0; i < FILE_BYTES; i += PAGE)
		sink = map[i];
	(void)sink;
	madvise(map, FILE_BYTES, MADV_PAGEOUT);
	munmap(map, FILE_BYTES);
}

static void migrate(int fd)
{
	char *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	int pass, status, node;
	void *page;
	long i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < FILE_BYTES; i += PAGE) {
			page = map + i;
			node = pass;
			(void)*(volatile char *)page;
			syscall(__NR_move_pages, 0, 1, &page, &node, &status, 2 /* MPOL_MF_MOVE */);
		}
	}
	munmap(map, FILE_BYTES);
}

static void write_direct(const char *name)
{
	char path[4096], *data = aligned_alloc(PAGE, 4 * PAGE);
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_DIRECT);
	if (fd < 0) {
		printf("O_DIRECT: %s\n", strerrorname_np(errno));
		free(data);
		return;
	}
	fill(data, 4 * PAGE, 99);
	printf("direct write %zd\n", pwrite(fd, data, 4 * PAGE, PAGE));
	close(fd);
	free(data);
}

static void change_and_read(const char *name)
{
	int fd = new_file(name, 0);

	battery(fd, "written");
	edges(fd);
	faulting_buffers(fd);
	map_of_same_page(fd);
	userfault_buffer(fd);

	write_file(fd, 100, 9000, 2);
	battery(fd, "overwritten");
	if (ftruncate(fd, 5001) || ftruncate(fd, FILE_BYTES))
		err(1, "ftruncate");
	battery(fd, "truncated and extended");
	write_file(fd, 0, FILE_BYTES, 3);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1000, 20000))
		printf("punch: %s\n", strerrorname_np(errno));
	battery(fd, "punched");
	if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4 * PAGE, 2 * PAGE))
		printf("collapse: %s\n", strerrorname_np(errno));
	if (fallocate(fd, FALLOC_FL_INSERT_RANGE, PAGE, PAGE))
		printf("insert: %s\n", strerrorname_np(errno));
	battery(fd, "collapsed and inserted");
	if (fallocate(fd, FALLOC_FL_ZERO_RANGE, 3000, 3000))
		printf("zero range: %s\n", strerrorname_np(errno));
	battery(fd, "zeroed");
	write_direct(name);
	battery(fd, "written with O_DIRECT");
	if (fallocate(fd, 0, FILE_BYTES, 10 * PAGE))
		printf("fallocate: %s\n", strerrorname_np(errno));
	battery(fd, "extended by fallocate");

	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	battery(fd, "FADV_DONTNEED");
	echo("/proc/sys/vm/drop_caches", "3");
	battery(fd, "drop_caches");
	if (on_tmpfs) {
		page_out(fd);
		battery(fd, "swapped out");
	}
	migrate(fd);
	battery(fd, "migrated");
	echo("/sys/kernel/debug/split_huge_pages", "1");
	battery(fd, "split");
	echo("/proc/sys/vm/compact_memory", "1");
	battery(fd, "compacted");
	if (mount(NULL, directory, NULL, MS_REMOUNT, NULL))
		printf("remount: %s\n", strerrorname_np(errno));
	battery(fd, "remounted");
	close(fd);
}

static void sparse(void)
{
	int fd = new_file("sparse", O_TRUNC);

	if (ftruncate(fd, 0))
		err(1, "ftruncate");
	write_file(fd, 3 * PAGE + 5, 100, 4);
	write_file(fd, 1L << 30, 5000, 5);
	battery(fd, "sparse");
	do_pread(fd, (1L << 30) - 50, 100);
	do_pread(fd, 12345678, 5000);
	/* Beyond 2^32 pages, as far as the file system goes. */
	if (!ftruncate(fd, (16L << 40) - PAGE)) {
		write_file(fd, (16L << 40) - PAGE - 100, 100, 6);
		do_pread(fd, (16L << 40) - PAGE - 50, 1 << 20);
		do_pread(fd, (16L << 40) - PAGE - 200, 100);
	}
	close(fd);
}

static void unlinked(void)
{
	char path[4096];
	int fd = new_file("unlinked", 0);

	battery(fd, "before unlink");
	snprintf(path, sizeof(path), "%s/unlinked", directory);
	unlink(path);
	battery(fd, "unlinked while open");
	close(fd);
	fd = open(directory, O_RDONLY | O_DIRECTORY);
	report("read a directory", 0, 0, read(fd, buffer, 16), 0);
	close(fd);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	report("read write-only", 0, 0, read(fd, buffer, 16), 0);
	close(fd);
}

int main(int argc, char **argv)
{
	struct statfs fs;

	if (argc < 2)
		errx(2, "usage: differential DIRECTORY");
	directory = argv[1];
	if (statfs(directory, &fs))
		err(1, "%s", directory);
	on_tmpfs = fs.f_type == TMPFS_MAGIC;
	buffer = anonymous(BUFFER_BYTES);
	memset(buffer, 0xee, BUFFER_BYTES);
	change_and_read("file");
	sparse();
	unlinked();
	return 0;
}
