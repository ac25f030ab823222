// SPDX-License-Identifier: GPL-2.0
/*
 * Those who change the files under the readers: overwrite, punch, truncate, drop
 * from the page cache, evict a hot file.
 */
#include <linux/delay.h>
#include <linux/falloc.h>
#include <linux/file.h>
#include <linux/kthread.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "torture.h"

/* More than it takes for a folio to be flagged. */
#define HOT_READS	12

/* Sleeps. */
void pause_below(unsigned int us)
{
	unsigned int now = 1 + get_random_u32_below(us);

	usleep_range(now, 2 * now);
}

ssize_t write_page(struct file *filp, unsigned int id, unsigned int page, u8 generation)
{
	u64 *words = (u64 *)__get_free_page(GFP_KERNEL);
	loff_t pos = (loff_t)page << PAGE_SHIFT;
	ssize_t written = -ENOMEM;

	if (words) {
		make_page(words, id, page, generation);
		written = kernel_write(filp, words, PAGE_SIZE, &pos);
		free_page((unsigned long)words);
	}
	return written;
}

/* Under file->lock. A write that failed may be there in part: nothing is claimed of it. */
static void overwrite(struct torture_file *file, unsigned int page)
{
	u32 generation = file->now.generation[page] + 1;

	if (write_page(file->filp, file->id, page, generation) != PAGE_SIZE) {
		count_event(FAILED_WRITES);
		return;
	}
	count_event(OVERWRITES);
	/* After the bytes. Pairs with claim_pages(). */
	smp_store_release(&file->now.generation[page], generation);
	if (file->now.sequence[page] & 1)
		/* The same; the page is whole again. */
		smp_store_release(&file->now.sequence[page], file->now.sequence[page] + 1);
}

/* The first writes of a file. */
int fill_file(struct torture_file *file)
{
	unsigned int page;

	for (page = 0; page < FILE_PAGES; page++)
		if (write_page(file->filp, file->id, page, 0) != PAGE_SIZE)
			return -EIO;
	return 0;
}

/* Under file->lock: zeroes for a while, then as before. */
static void destroy(struct torture_file *file)
{
	unsigned int from = get_random_u32_below(FILE_PAGES), page;
	unsigned int to = from + 1 + get_random_u32_below(FILE_PAGES - from);
	bool truncates = get_random_u32_below(2);

	if (truncates)
		to = FILE_PAGES;
	for (page = from; page < to; page++)
		WRITE_ONCE(file->now.sequence[page], file->now.sequence[page] | 1);
	/* Readers that saw them even are told by check_read(). */
	smp_mb();
	if (truncates) {
		vfs_truncate(&file->filp->f_path,
			     from * PAGE_SIZE + get_random_u32_below(PAGE_SIZE));
		vfs_truncate(&file->filp->f_path, FILE_BYTES);
		count_event(TRUNCATIONS);
	} else {
		vfs_fallocate(file->filp, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      from * PAGE_SIZE, (to - from) * PAGE_SIZE);
		count_event(PUNCHES);
	}
	for (page = from; page < to; page++)
		overwrite(file, page);
}

/* A thread that writes and destroys. */
int torture_changer(void *unused)
{
	while (!kthread_should_stop()) {
		struct torture_file *file = any_file();

		mutex_lock(&file->lock);
		if (get_random_u32_below(4))
			overwrite(file, get_random_u32_below(get_random_u32_below(2) ? HOT_PAGES :
							     FILE_PAGES));
		else
			destroy(file);
		mutex_unlock(&file->lock);
		/* The folios get hot between two changes. */
		pause_below(5000);
	}
	return 0;
}

/* A thread that takes folios out of the page cache. */
int torture_dropper(void *unused)
{
	while (!kthread_should_stop()) {
		struct address_space *mapping = any_file()->filp->f_mapping;

		/* A dirty folio stays. */
		filemap_write_and_wait(mapping);
		invalidate_mapping_pages(mapping, 0, -1);
		count_event(DROPS);
		pause_below(5000);
	}
	return 0;
}

/* Makes a file, gets it hot and drops it. */
void evict_hot_file(const char *directory)
{
	struct file *filp = filp_open(directory, O_TMPFILE | O_RDWR, 0600);
	unsigned int page, n;
	u64 word;

	if (IS_ERR(filp)) {
		count_event(FAILED_WRITES);
		return;
	}
	for (page = 0; page < HOT_PAGES; page++)
		write_page(filp, FOREIGN_ID, page, 0);
	for (n = 0; n < HOT_READS * HOT_PAGES; n++) {
		loff_t pos = n % HOT_PAGES * PAGE_SIZE;

		kernel_read(filp, &word, sizeof(word), &pos);
	}
	__fput_sync(filp);
	count_event(EVICTIONS);
}

/*
 * A thread that gets a file hot and evicts it at once. Its folios may be freed
 * without a wait, and be in another file while a reader of that one is on its way.
 */
int torture_evicter(void *unused)
{
	while (!kthread_should_stop()) {
		evict_hot_file(torture_directories[get_random_u32_below(nr_torture_directories)]);
		pause_below(2000);
	}
	return 0;
}
