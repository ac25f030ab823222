// SPDX-License-Identifier: GPL-2.0
/*
 * fuse-move SOURCE MOUNTPOINT: a FUSE file system with one file, "f", of one page.
 * A read of it is answered with the first page of SOURCE, which is not copied: it
 * goes from SOURCE's page cache through a pipe to /dev/fuse, and the kernel is
 * asked to move it into the page cache of "f". Writes are taken and forgotten.
 *
 * Runs until it is killed.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE		4096
#define FILE_NODE	2

static int device, source, pipes[2];

static void reply(uint64_t unique, int error, const void *out, size_t len)
{
	struct fuse_out_header header = {
		.len = sizeof(header) + len, .error = error, .unique = unique,
	};
	struct iovec v[] = { { &header, sizeof(header) }, { (void *)out, len } };

	/* The request may have been interrupted; then nobody wants the answer. */
	if (writev(device, v, 2) < 0 && errno != ENOENT)
		err(1, "reply");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr) {
		.ino = node, .nlink = 1, .blksize = PAGE,
		.size = node == FILE_NODE ? PAGE : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
	};
}

static void reply_with_page(uint64_t unique)
{
	struct fuse_out_header header = { .len = sizeof(header) + PAGE, .unique = unique };
	loff_t from = 0;

	if (write(pipes[1], &header, sizeof(header)) != sizeof(header) ||
	    splice(source, &from, pipes[1], NULL, PAGE, 0) != PAGE ||
	    splice(pipes[0], NULL, device, NULL, header.len, SPLICE_F_MOVE) != header.len)
		err(1, "splice");
}

static void serve(struct fuse_in_header *in, void *body)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 1 << 17,
		.max_write = 1 << 17,
	};
	struct fuse_entry_out entry = {
		.nodeid = FILE_NODE, .entry_valid = 1000, .attr_valid = 1000,
		.attr = attributes(FILE_NODE),
	};
	struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { .fh = 1 };
	struct fuse_write_out written = { .size = ((struct fuse_write_in *)body)->size };

	switch (in->opcode) {
	case FUSE_INIT:
		return reply(in->unique, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		if (strcmp(body, "f"))
			return reply(in->unique, -ENOENT, NULL, 0);
		return reply(in->unique, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		return reply(in->unique, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return reply(in->unique, 0, &open, sizeof(open));
	case FUSE_READ:
		return reply_with_page(in->unique);
	case FUSE_WRITE:
		return reply(in->unique, 0, &written, sizeof(written));
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return reply(in->unique, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		return reply(in->unique, -EOPNOTSUPP, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char request[(1 << 17) + PAGE];
	char options[64];

	if (argc != 3)
		errx(2, "usage: fuse-move SOURCE MOUNTPOINT");
	source = open(argv[1], O_RDONLY);
	device = open("/dev/fuse", O_RDWR);
	if (source < 0 || device < 0 || pipe(pipes))
		err(1, "%s, /dev/fuse", argv[1]);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (mount("fuse-move", argv[2], "fuse", 0, options))
		err(1, "mount %s", argv[2]);

	for (;;) {
		ssize_t got = read(device, request, sizeof(request));

		if (got < 0 && errno == ENODEV)
			return 0;
		if (got < (ssize_t)sizeof(struct fuse_in_header)) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			err(1, "/dev/fuse");
		}
		serve((struct fuse_in_header *)request, request + sizeof(struct fuse_in_header));
	}
}
