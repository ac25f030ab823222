// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: each memory access of each marked read of a guest program.
 *
 * Markers are 7-byte nopl instructions, as tests/guest/recordreads.c has them; the
 * displacement says what begins: 0x5a5a0004 a recording, 0x5a5a0001 the reads of
 * this vCPU, 0x5a5a0003 its next read, 0x5a5a0002 the time after its last one.
 * The plugin's argument out=FILE names the text file it writes:
 *
 *   recording
 *   read VCPU INSTRUCTIONS
 *   ORDINAL KIND CODE VIRTUAL PHYSICAL BYTES
 *
 * with one line of the third form for each access before the "read" that it belongs
 * to. ORDINAL counts the read's instructions; rounds of string instructions do not
 * count, and their accesses to one cache line are one. KIND is r or w,
 * R or W in string instructions, a for a locked (atomic) read-modify-write, c for one
 * that compares first.
 * Interrupts are in the read that they fall into. Each vCPU needs a thread of its own
 * (thread=multi): QEMU 10 confuses vCPUs that share one.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu-api.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 3;

#define MAX_VCPUS	64
/* A read of 64 KiB touches some 3,000 lines. */
#define MAX_ACCESSES	65536
#define LINE_BYTES	64

enum { MARK_START = 0x5a5a0001, MARK_STOP, MARK_NEXT, MARK_RECORDING };

struct access {
	uint64_t ordinal;
	uint64_t code;
	uint64_t vaddr;
	uint64_t paddr;
	uint32_t bytes;
	char kind;
	bool repeats;
};

struct vcpu {
	bool recording;
	/* Instructions of this read. */
	uint64_t executed;
	size_t n;
	struct access *accesses;
};

/* What a memory callback is told of its instruction. */
struct code {
	uint64_t vaddr;
	char locked;
	bool repeats;
};

static struct vcpu vcpus[MAX_VCPUS];
static FILE *out;

static void begin(struct vcpu *self)
{
	self->executed = 0;
	self->n = 0;
}

static void execute(unsigned int vcpu, void *data)
{
	(void)data;
	vcpus[vcpu % MAX_VCPUS].executed++;
}

static void start(unsigned int vcpu, void *data)
{
	(void)data;
	if (vcpu >= MAX_VCPUS)
		return;
	if (!vcpus[vcpu].accesses)
		vcpus[vcpu].accesses = calloc(MAX_ACCESSES, sizeof(struct access));
	begin(&vcpus[vcpu]);
	vcpus[vcpu].recording = vcpus[vcpu].accesses;
}

static void next(unsigned int vcpu, void *data)
{
	struct vcpu *self = &vcpus[vcpu % MAX_VCPUS];
	size_t i;

	(void)data;
	if (!self->recording)
		return;
	flockfile(out);
	for (i = 0; i < self->n; i++) {
		const struct access *a = &self->accesses[i];

		fprintf(out, "%" PRIu64 " %c %" PRIx64 " %" PRIx64 " %" PRIx64 " %u\n",
			a->ordinal, a->kind, a->code, a->vaddr, a->paddr, a->bytes);
	}
	/* A full buffer is no read: what reads this file takes it for a disturbed one. */
	fprintf(out, "read %u %" PRIu64 "\n", vcpu,
		self->n < MAX_ACCESSES ? self->executed : 0);
	funlockfile(out);
	begin(self);
}

static void stop(unsigned int vcpu, void *data)
{
	(void)data;
	vcpus[vcpu % MAX_VCPUS].recording = false;
}

static void new_recording(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	fprintf(out, "recording\n");
}

/* A string instruction alternates between two lines: its last two accesses matter. */
static bool same_line_again(struct vcpu *self, const struct access *access)
{
	size_t i;

	if (!access->repeats)
		return false;
	for (i = self->n; i > 0 && i + 2 > self->n; i--) {
		struct access *last = &self->accesses[i - 1];

		if (last->repeats && last->kind == access->kind && last->code == access->code &&
		    last->paddr / LINE_BYTES == access->paddr / LINE_BYTES) {
			last->bytes += access->bytes;
			return true;
		}
	}
	return false;
}

static void accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct vcpu *self = &vcpus[vcpu % MAX_VCPUS];
	const struct code *code = data;
	struct qemu_plugin_hwaddr *hwaddr;
	struct access access = {
		.code = code->vaddr,
		.vaddr = vaddr,
		.bytes = 1u << qemu_plugin_mem_size_shift(info),
		.kind = code->repeats ? 'R' : 'r',
		.repeats = code->repeats,
	};

	if (!self->recording || self->n == MAX_ACCESSES)
		return;
	/* The load of a locked instruction is part of its store. */
	if (qemu_plugin_mem_is_store(info))
		access.kind = code->locked ? code->locked : code->repeats ? 'W' : 'w';
	else if (code->locked)
		return;
	hwaddr = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hwaddr)
		return;
	access.paddr = qemu_plugin_hwaddr_phys_addr(hwaddr);
	access.ordinal = self->executed;
	if (!same_line_again(self, &access))
		self->accesses[self->n++] = access;
}

/* Reads the prefixes and the opcode. */
static void classify(const struct qemu_plugin_insn *insn, struct code *code)
{
	unsigned char data[MAX_INSN_BYTES];
	size_t size = qemu_plugin_insn_data(insn, data, sizeof(data)), i = 0;
	bool lock = false, rep = false;

	for (; i < size; i++) {
		if (data[i] == 0xf0)
			lock = true;
		else if (data[i] == 0xf2 || data[i] == 0xf3)
			rep = true;
		else if (data[i] != 0x66 && data[i] != 0x67 && data[i] != 0x64 && data[i] != 0x65 &&
			 data[i] != 0x2e && data[i] != 0x3e && (data[i] & 0xf0) != 0x40)
			break;
	}
	if (i == size)
		return;
	/* movs, cmps, stos, lods, scas */
	code->repeats = rep && data[i] >= 0xa4 && data[i] <= 0xaf && data[i] != 0xa8 &&
			data[i] != 0xa9;
	/* xchg with memory locks without the prefix. */
	if (lock || data[i] == 0x86 || data[i] == 0x87)
		code->locked = 'a';
	/* cmpxchg, and its forms of 8 and 16 bytes */
	if (lock && i + 1 < size && data[i] == 0x0f &&
	    (data[i + 1] == 0xb0 || data[i + 1] == 0xb1 || data[i + 1] == 0xc7))
		code->locked = 'c';
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static const struct {
		uint32_t number;
		exec_callback cb;
	} marks[] = {
		{ MARK_START, start }, { MARK_STOP, stop },
		{ MARK_NEXT, next }, { MARK_RECORDING, new_recording },
	};
	size_t n = qemu_plugin_tb_n_insns(tb), i, m;
	/* Lives as long as the block may run, which is until QEMU ends. */
	struct code *codes = calloc(n, sizeof(*codes));

	(void)id;
	if (!codes)
		abort();
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t number = marker(insn);

		codes[i].vaddr = qemu_plugin_insn_vaddr(insn);
		classify(insn, &codes[i]);
		if (!codes[i].repeats)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, execute,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, &codes[i]);
		for (m = 0; m < sizeof(marks) / sizeof(*marks); m++)
			if (number == marks[m].number)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, marks[m].cb,
								       QEMU_PLUGIN_CB_NO_REGS,
								       NULL);
	}
}

static void finish(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

__attribute__((visibility("default")))
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = fopen(argv[0] + 4, "w");
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
