// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: instructions that a guest executes between two markers.
 *
 * The markers are 7-byte nopl instructions with a displacement of 0x5a5a0001
 * (start) and 0x5a5a0002 (stop), as preadbench has them. At each stop one line
 * goes to the plugin's log: the number of instructions since the start, kernel
 * and interrupts included. Counts repeat with -icount and one vCPU.
 */
#include <inttypes.h>
#include <stdio.h>

#include "qemu-api.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 3;

static struct qemu_plugin_u64 executed;
static uint64_t executed_at_start;

static void start(unsigned int vcpu, void *data)
{
	(void)data;
	executed_at_start = qemu_plugin_u64_get(executed, vcpu);
}

static void stop(unsigned int vcpu, void *data)
{
	char line[64];

	(void)data;
	snprintf(line, sizeof(line), "instructions %" PRIu64 "\n",
		 qemu_plugin_u64_get(executed, vcpu) - executed_at_start);
	qemu_plugin_outs(line);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
								    QEMU_PLUGIN_INLINE_ADD_U64,
								    executed, 1);
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
	executed.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
