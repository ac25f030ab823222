// SPDX-License-Identifier: GPL-2.0
/*
 * Lets a guest of QEMU's emulator survive a breakpoint that is no longer there.
 *
 * The kernel switches a static key by putting a breakpoint over an instruction
 * and taking it away again, the last in one store of one byte. QEMU drops its
 * translation of the old bytes just before it does that store (notdirty_write()
 * in its accel/tcg/cputlb.c), and a CPU that translates the same place between
 * the two goes on with the breakpoint for good: "Oops: int3", where memory holds
 * none. With CPU threads that the host takes off the CPU, that is some minutes of
 * key switching. No processor does it, and no kernel is to blame.
 *
 * Here such a breakpoint has its translation dropped once more, by a store that
 * changes nothing, and the instruction runs again. One that is in memory is left
 * to the kernel. scripts/boot loads this into each guest with several CPU threads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#define BREAKPOINT 0xcc

/*
 * Not native_write_cr0(): that one insists on the bit. Locked, as another CPU may
 * be patching this very byte; interrupts are off, so the bit is back at once.
 */
static void store_unchanged(u8 *code)
{
	unsigned long cr0 = native_read_cr0();

	asm volatile("mov %0, %%cr0" :: "r" (cr0 & ~X86_CR0_WP) : "memory");
	asm volatile("lock orb $0, %0" : "+m" (*code));
	asm volatile("mov %0, %%cr0" :: "r" (cr0) : "memory");
}

/* As in an NMI: the breakpoint may have been met anywhere. */
static int meet_breakpoint(struct notifier_block *self, unsigned long event, void *data)
{
	struct die_args *args = data;
	u8 *code = (u8 *)args->regs->ip - 1;

	if (event != DIE_INT3 || user_mode(args->regs) || READ_ONCE(*code) == BREAKPOINT)
		return NOTIFY_DONE;
	store_unchanged(code);
	args->regs->ip--;
	pr_info("%pS is run again: QEMU met a breakpoint there that memory does not hold\n", code);
	return NOTIFY_STOP;
}
NOKPROBE_SYMBOL(meet_breakpoint);

static struct notifier_block breakpoints = { .notifier_call = meet_breakpoint };

static int __init rerun_breakpoint_init(void)
{
	return register_die_notifier(&breakpoints);
}
module_init(rerun_breakpoint_init);

static void __exit rerun_breakpoint_exit(void)
{
	unregister_die_notifier(&breakpoints);
}
module_exit(rerun_breakpoint_exit);

MODULE_DESCRIPTION("Runs code again where QEMU's emulator met a breakpoint taken away");
MODULE_LICENSE("GPL");
