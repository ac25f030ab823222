/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the torture module share. */
#ifndef REFLESS_TORTURE_H
#define REFLESS_TORTURE_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/types.h>

#define FILE_PAGES	64
#define FILE_BYTES	(FILE_PAGES * PAGE_SIZE)
#define WORDS_IN_PAGE	(PAGE_SIZE / sizeof(u64))
/* The pages that most reads go to, so that they are hot. */
#define HOT_PAGES	4
/* Of a file that no reader reads. */
#define FOREIGN_ID	0xfff

/* What a read may demand of each page. */
struct claim {
	/* Odd while some of the page may be zero. */
	unsigned int sequence[FILE_PAGES];
	/* The oldest that it may return; its words hold the low byte. */
	u32 generation[FILE_PAGES];
};

struct torture_file {
	struct file *filp;
	unsigned int id;
	/* Over all changes of the file. */
	struct mutex lock;
	struct claim now;
};

enum torture_event {
	READS, AIMED_READS, BYTES, FAILED_READS, SHORT_READS, STRICT_PAGES, OVERWRITES,
	FAILED_WRITES, PUNCHES, TRUNCATIONS, DROPS, EVICTIONS, RECYCLINGS, WINDOWS, WRONG, NR_EVENTS
};

extern atomic_long_t torture_events[NR_EVENTS];
#define count_event(event)	atomic_long_inc(&torture_events[event])

/* main.c */
extern struct torture_file *torture_files;
extern unsigned int nr_torture_files;
extern struct mm_struct *torture_mm;
extern bool torture_inject;
int open_file(struct torture_file *file, const char *directory);

static inline struct torture_file *any_file(void)
{
	return &torture_files[get_random_u32_below(nr_torture_files)];
}

/* content.c: the words of a file, and what a reader may see of them */
void make_page(u64 *words, unsigned int id, unsigned int page, u8 generation);
void claim_pages(struct torture_file *file, struct claim *claim);
void check_read(struct torture_file *file, const struct claim *claim, loff_t pos,
		const void *data, size_t len, size_t want);

/* readers.c, changers.c: what threads do */
int torture_reader(void *unused);
int torture_changer(void *unused);
int torture_dropper(void *unused);
int torture_evicter(void *unused);
int fill_file(struct torture_file *file);
ssize_t write_page(struct file *filp, unsigned int id, unsigned int page, u8 generation);
void evict_hot_file(const char *directory);
void pause_below(unsigned int us);
extern char *torture_directories[];
extern int nr_torture_directories;

/* aimed.c: a folio that is reused in one reader's window */
int aim(void);
void stop_aiming(void);

/* windows.c: delays at the moments that the protocol guards */
void windows_open(void);
void windows_close(void);

#endif /* REFLESS_TORTURE_H */
