// SPDX-License-Identifier: GPL-2.0
/*
 * Readers, into kernel and user memory in turn. The user memory belongs to the
 * process that loads the module, and is fresh at times, so that copies fault.
 * Only readers have failures injected: a writer's or a file system's would be
 * losses that are not ours to judge.
 */
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "torture.h"

/* The most that one read asks for. */
#define READ_BYTES	(16 * PAGE_SIZE)

struct reader {
	/* What was read, for the check. */
	void *data;
	unsigned long user;
	struct claim claim;
};

static void inject_failures(bool on)
{
#ifdef CONFIG_FAULT_INJECTION
	current->make_it_fail = on && torture_inject;
#endif
}

static void fresh_user_memory(struct reader *reader)
{
	if (reader->user)
		vm_munmap(reader->user, READ_BYTES);
	reader->user = vm_mmap(NULL, 0, READ_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(reader->user))
		reader->user = 0;
}

static ssize_t read_to_user(struct reader *reader, struct file *filp, size_t len, loff_t pos)
{
	struct kiocb iocb;
	struct iov_iter to;
	ssize_t got;

	if (!reader->user || !get_random_u32_below(64))
		fresh_user_memory(reader);
	if (!reader->user)
		return -ENOMEM;
	init_sync_kiocb(&iocb, filp);
	iocb.ki_pos = pos;
	iov_iter_ubuf(&to, ITER_DEST, (void __user *)reader->user, len);
	inject_failures(true);
	got = vfs_iocb_iter_read(filp, &iocb, &to);
	inject_failures(false);
	if (got > 0 && copy_from_user(reader->data, (void __user *)reader->user, got))
		return -EFAULT;
	return got;
}

static ssize_t read_to_kernel(struct reader *reader, struct file *filp, size_t len, loff_t pos)
{
	ssize_t got;

	inject_failures(true);
	got = kernel_read(filp, reader->data, len, &pos);
	inject_failures(false);
	return got;
}

static void read_and_check(struct reader *reader)
{
	struct torture_file *file = any_file();
	size_t pages = get_random_u32_below(16) ? HOT_PAGES : FILE_PAGES;
	loff_t pos = get_random_u32_below(pages * WORDS_IN_PAGE) * sizeof(u64);
	size_t len = 1 + get_random_u32_below(get_random_u32_below(4) ? 64 : READ_BYTES);
	ssize_t got;

	if (!get_random_u32_below(4))
		pos = 0;
	len = min_t(size_t, len, FILE_BYTES - pos);
	claim_pages(file, &reader->claim);
	if (get_random_u32_below(2))
		got = read_to_kernel(reader, file->filp, len, pos);
	else
		got = read_to_user(reader, file->filp, len, pos);
	if (got < 0) {
		count_event(FAILED_READS);
		return;
	}
	count_event(READS);
	atomic_long_add(got, &torture_events[BYTES]);
	if (got < len)
		count_event(SHORT_READS);
	check_read(file, &reader->claim, pos, reader->data, got, len);
}

/* A thread that reads and checks what it got. */
int torture_reader(void *unused)
{
	struct reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL | __GFP_NOFAIL);

	reader->data = kvmalloc(READ_BYTES, GFP_KERNEL | __GFP_NOFAIL);
	kthread_use_mm(torture_mm);
	while (!kthread_should_stop()) {
		read_and_check(reader);
		cond_resched();
	}
	if (reader->user)
		vm_munmap(reader->user, READ_BYTES);
	kthread_unuse_mm(torture_mm);
	kvfree(reader->data);
	kfree(reader);
	return 0;
}
