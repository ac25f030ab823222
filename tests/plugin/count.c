// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: instructions that a guest executes between two markers.
 *
 * The markers are 7-byte nopl instructions with a displacement of 0x5a5a0001
 * (start) and 0x5a5a0002 (stop), as preadbench has them. At each stop one line
 * goes to the plugin's log: the number of instructions since the start, kernel
 * and interrupts included. Counts repeat with -icount and one vCPU.
 *
 * Debian's QEMU 7.2 does not package qemu-plugin.h; these declarations are the
 * part of its version 1 API that is used here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
typedef void (*tb_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*exec_callback)(unsigned int vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, tb_callback cb);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_callback cb,
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *counter,
						uint64_t value);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_outs(const char *text);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t executed;
static uint64_t executed_at_start;

static void start(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	executed_at_start = executed;
}

static void stop(unsigned int vcpu, void *data)
{
	char line[64];

	(void)vcpu;
	(void)data;
	snprintf(line, sizeof(line), "instructions %" PRIu64 "\n", executed - executed_at_start);
	qemu_plugin_outs(line);
}

static uint32_t marker(const struct qemu_plugin_insn *insn)
{
	static const unsigned char nopl[] = { 0x0f, 0x1f, 0x80 };
	const unsigned char *data = qemu_plugin_insn_data(insn);
	uint32_t number;

	if (qemu_plugin_insn_size(insn) != 7 || memcmp(data, nopl, sizeof(nopl)))
		return 0;
	memcpy(&number, data + sizeof(nopl), sizeof(number));
	return number;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
							   &executed, 1);
		if (marker(insn) == 0x5a5a0001)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, start,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		if (marker(insn) == 0x5a5a0002)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, stop,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	(void)argc;
	(void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
