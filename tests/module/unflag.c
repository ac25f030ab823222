// SPDX-License-Identifier: GPL-2.0
/*
 * Takes away guards of hooks.patch, which have no switch of their own: clears
 * PG_rcu_free right before the kernel looks at it. With "at":
 *
 *   steal      page_cache_pipe_buf_try_steal() sees no flag, its caller does
 *   move       neither of them does
 *   split      the tail pages of a split folio do not inherit it
 *   exiting    folios of a mapping that is marked as exiting lose it when they
 *              leave the page cache, whether or not their inode is in use; and
 *              f2fs marks that of an open file, as it did up to 6.12.117
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/pipe_fs_i.h>
#include <linux/string.h>

static char *at = "steal";
module_param(at, charp, 0444);
MODULE_PARM_DESC(at, "steal, move, split or exiting (default steal)");

static unsigned long cleared;
module_param(cleared, ulong, 0444);
MODULE_PARM_DESC(cleared, "How many flags were cleared");

/* What an entry handler leaves to the return handler. */
struct seen {
	struct folio *folio;
	long pages;
};

static bool clear_flag(struct folio *folio)
{
	if (!folio_test_rcu_free(folio))
		return false;
	folio_clear_rcu_free(folio);
	WRITE_ONCE(cleared, cleared + 1);
	return true;
}

static int steal_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pipe_buffer *buf = (struct pipe_buffer *)regs_get_kernel_argument(regs, 1);
	struct seen *seen = (struct seen *)instance->data;
	struct folio *folio = page_folio(buf->page);

	seen->folio = clear_flag(folio) ? folio : NULL;
	return 0;
}

/* The pipe holds a reference, whatever has become of the folio. */
static int steal_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct seen *seen = (struct seen *)instance->data;

	if (seen->folio && strcmp(at, "move"))
		folio_set_rcu_free(seen->folio);
	return 0;
}

static int split_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct page *page = (struct page *)regs_get_kernel_argument(regs, 0);
	struct seen *seen = (struct seen *)instance->data;

	seen->folio = page_folio(page);
	seen->pages = folio_nr_pages(seen->folio);
	return 0;
}

/* The head keeps its flag; the caller has a reference on one of the pages. */
static int split_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct seen *seen = (struct seen *)instance->data;
	long i;

	if (regs_return_value(regs))
		return 0;
	for (i = 1; i < seen->pages; i++) {
		struct page *page = &seen->folio->page + i;

		if (!PageTail(page))
			clear_flag((struct folio *)page);
	}
	return 0;
}

static int batch_leaves(struct kprobe *probe, struct pt_regs *regs)
{
	struct address_space *mapping = (struct address_space *)regs_get_kernel_argument(regs, 0);
	struct folio_batch *batch = (struct folio_batch *)regs_get_kernel_argument(regs, 1);
	int i;

	if (!mapping_exiting(mapping))
		return 0;
	for (i = 0; i < folio_batch_count(batch); i++)
		clear_flag(batch->folios[i]);
	return 0;
}

static struct kretprobe steal_probe = {
	.kp.symbol_name = "page_cache_pipe_buf_try_steal",
	.entry_handler = steal_begins,
	.handler = steal_ends,
	.data_size = sizeof(struct seen),
};

static struct kretprobe split_probe = {
	.kp.symbol_name = "split_huge_page_to_list_to_order",
	.entry_handler = split_begins,
	.handler = split_ends,
	.data_size = sizeof(struct seen),
};

static struct kprobe exiting_probe = {
	.symbol_name = "delete_from_page_cache_batch",
	.pre_handler = batch_leaves,
};

static int truncation_begins(struct kprobe *probe, struct pt_regs *regs)
{
	struct address_space *mapping = (struct address_space *)regs_get_kernel_argument(regs, 0);

	if (!strcmp(mapping->host->i_sb->s_type->name, "f2fs"))
		mapping_set_exiting(mapping);
	return 0;
}

static struct kprobe truncation_probe = {
	.symbol_name = "truncate_inode_pages",
	.pre_handler = truncation_begins,
};

static int __init exiting_init(void)
{
	int err = register_kprobe(&exiting_probe);

	if (err)
		return err;
	err = register_kprobe(&truncation_probe);
	if (err)
		unregister_kprobe(&exiting_probe);
	return err;
}

static void exiting_exit(void)
{
	unregister_kprobe(&truncation_probe);
	unregister_kprobe(&exiting_probe);
}

static int __init unflag_init(void)
{
	if (!strcmp(at, "exiting"))
		return exiting_init();
	if (!strcmp(at, "split"))
		return register_kretprobe(&split_probe);
	if (!strcmp(at, "steal") || !strcmp(at, "move"))
		return register_kretprobe(&steal_probe);
	return -EINVAL;
}

static void __exit unflag_exit(void)
{
	if (!strcmp(at, "exiting"))
		exiting_exit();
	else if (!strcmp(at, "split"))
		unregister_kretprobe(&split_probe);
	else
		unregister_kretprobe(&steal_probe);
}

module_init(unflag_init);
module_exit(unflag_exit);

MODULE_DESCRIPTION("Takes guards of the refless hooks away, for tests");
MODULE_LICENSE("GPL");
