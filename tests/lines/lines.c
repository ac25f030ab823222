// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: where the objects are that a read of a file touches. A program
 * writes a file descriptor's number to /sys/kernel/debug/lines and reads from the
 * same descriptor of that file a line for each object of the calling thread and of
 * the file: its name, its C type (or - if it has none), its address, its size.
 */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#define TEXT_BYTES	8192

struct text {
	size_t used;
	char bytes[TEXT_BYTES];
};

static struct dentry *entry;

static __printf(2, 3) void say(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text->used += vscnprintf(text->bytes + text->used, TEXT_BYTES - text->used, format, args);
	va_end(args);
}

static void object(struct text *text, const char *name, const char *type, const void *at,
		   size_t size)
{
	if (at)
		say(text, "object %s %s %lx %zu\n", name, type, (unsigned long)at, size);
}

#define OBJECT(text, name, type, at)	object(text, name, #type, at, sizeof(struct type))

static void describe_task(struct text *text)
{
	struct task_struct *task = current;
	struct files_struct *files = task->files;
	struct fdtable *fdt;

	OBJECT(text, "task", task_struct, task);
	object(text, "stack", "-", task_stack_page(task), THREAD_SIZE);
	OBJECT(text, "signal", signal_struct, task->signal);
	OBJECT(text, "cred", cred, current_cred());
	OBJECT(text, "mm", mm_struct, task->mm);
	OBJECT(text, "files", files_struct, files);
	rcu_read_lock();
	fdt = files_fdtable(files);
	OBJECT(text, "fdtable", fdtable, fdt);
	object(text, "fd-array", "-", fdt->fd, fdt->max_fds * sizeof(*fdt->fd));
	rcu_read_unlock();
}

/* The nodes from the root to the first page's slot. */
static void describe_nodes(struct text *text, struct address_space *mapping)
{
	void *entry;

	rcu_read_lock();
	entry = rcu_dereference_raw(mapping->i_pages.xa_head);
	while (xa_is_internal(entry) && (unsigned long)entry > 4096) {
		struct xa_node *node = (void *)((unsigned long)entry - 2);

		OBJECT(text, "xa-node", xa_node, node);
		if (!node->shift)
			break;
		entry = rcu_dereference_raw(node->slots[0]);
	}
	rcu_read_unlock();
}

static void describe_folio(struct text *text, struct address_space *mapping)
{
	struct folio *folio = filemap_get_folio(mapping, 0);

	if (IS_ERR(folio))
		return;
	object(text, "folio", "folio", folio,
	       folio_test_large(folio) ? sizeof(struct folio) : sizeof(struct page));
	/* The pages that have no fields of the folio's in them. */
	if (folio_nr_pages(folio) > sizeof(struct folio) / sizeof(struct page))
		object(text, "tail-pages", "-", (void *)folio + sizeof(struct folio),
		       folio_nr_pages(folio) * sizeof(struct page) - sizeof(struct folio));
	object(text, "data", "-", folio_address(folio), folio_size(folio));
	say(text, "# folio of %zu bytes, flags %lx\n", folio_size(folio), folio->flags);
	folio_put(folio);
}

static void describe_file(struct text *text, struct file *file)
{
	struct inode *inode = file->f_mapping->host;

	OBJECT(text, "file", file, file);
	OBJECT(text, "inode", inode, inode);
	if (file_inode(file) != inode)
		OBJECT(text, "device-inode", inode, file_inode(file));
	object(text, "inode-private", "-", inode->i_private, 64);
	OBJECT(text, "dentry", dentry, file->f_path.dentry);
	OBJECT(text, "vfsmount", vfsmount, file->f_path.mnt);
	OBJECT(text, "super-block", super_block, inode->i_sb);
	object(text, "super-block-private", "-", inode->i_sb->s_fs_info, 4096);
	describe_nodes(text, file->f_mapping);
	describe_folio(text, file->f_mapping);
}

static void describe_cpus(struct text *text)
{
	int cpu;

	for_each_possible_cpu(cpu)
		say(text, "percpu %d %lx\n", cpu, per_cpu_offset(cpu));
}

static int lines_open(struct inode *inode, struct file *self)
{
	struct text *text = kzalloc(sizeof(*text), GFP_KERNEL);

	self->private_data = text;
	return text ? 0 : -ENOMEM;
}

static int lines_release(struct inode *inode, struct file *self)
{
	kfree(self->private_data);
	return 0;
}

static ssize_t lines_write(struct file *self, const char __user *buf, size_t len, loff_t *pos)
{
	struct text *text = self->private_data;
	struct file *file;
	unsigned int fd;
	int err = kstrtouint_from_user(buf, len, 10, &fd);

	if (err)
		return err;
	file = fget(fd);
	if (!file)
		return -EBADF;
	text->used = 0;
	describe_task(text);
	describe_file(text, file);
	describe_cpus(text);
	fput(file);
	return len;
}

static ssize_t lines_read(struct file *self, char __user *buf, size_t len, loff_t *pos)
{
	struct text *text = self->private_data;

	return simple_read_from_buffer(buf, len, pos, text->bytes, text->used);
}

static const struct file_operations lines_fops = {
	.owner = THIS_MODULE,
	.open = lines_open,
	.release = lines_release,
	.write = lines_write,
	.read = lines_read,
	.llseek = default_llseek,
};

static int __init lines_init(void)
{
	entry = debugfs_create_file_unsafe("lines", 0600, NULL, NULL, &lines_fops);
	return PTR_ERR_OR_ZERO(entry);
}

static void __exit lines_exit(void)
{
	debugfs_remove(entry);
}

module_init(lines_init);
module_exit(lines_exit);

MODULE_DESCRIPTION("For tests: where a file's kernel objects are");
MODULE_LICENSE("GPL");
