/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the plugins here use of QEMU's plugin API, version 3, of QEMU 9.1 and later.
 * Debian does not package qemu-plugin.h.
 */
#ifndef PLUGIN_QEMU_API_H
#define PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_scoreboard;
/* Passed by value; a counter for each vCPU. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
typedef void (*tb_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_callback)(unsigned int vcpu, void *data);
typedef void (*mem_callback)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
			     void *data);
typedef void (*exit_callback)(qemu_plugin_id_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_callback cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_callback cb,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 enum qemu_plugin_op op,
							 struct qemu_plugin_u64 counter,
							 uint64_t value);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
uint64_t qemu_plugin_u64_get(struct qemu_plugin_u64 counter, unsigned int vcpu);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, mem_callback cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, exit_callback cb, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *data, size_t bytes);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t vaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *addr);
void qemu_plugin_outs(const char *text);

/* The longest that x86 has. */
#define MAX_INSN_BYTES	15

/* The number of a marker: a nopl of seven bytes, with it as displacement; or 0. */
static inline uint32_t marker(const struct qemu_plugin_insn *insn)
{
	static const unsigned char nopl[] = { 0x0f, 0x1f, 0x80 };
	unsigned char data[MAX_INSN_BYTES];
	uint32_t number;

	if (qemu_plugin_insn_data(insn, data, sizeof(data)) != 7 ||
	    memcmp(data, nopl, sizeof(nopl)))
		return 0;
	memcpy(&number, data + sizeof(nopl), sizeof(number));
	return number;
}

#endif /* PLUGIN_QEMU_API_H */
