#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which of KCSAN's reports scripts/boot takes for refless's, and which for the kernel's own."""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
loader = importlib.machinery.SourceFileLoader("boot", os.path.join(TOP, "scripts", "boot"))
boot = importlib.util.module_from_spec(importlib.util.spec_from_loader("boot", loader))
loader.exec_module(boot)

LINE = "=" * 66
READ = ["filemap_read+0x9a/0x6c0", "vfs_read+0x3ca/0x580", "entry_SYSCALL_64_after_hwframe+0x4b/0x53"]
LOAD = ["do_init_module+0x1c2/0x350", "init_module_from_file+0xdb/0x120"]
LOCKLESS = ["copy_folio+0x31/0x90 [refless]", "read_filemap+0x200/0x400 [refless]"] + READ


def report(*sides, end=True):
    """A report of KCSAN's with these call traces, innermost function first, by a worker."""
    text = [LINE, f"BUG: KCSAN: data-race in {sides[0][0].split('+')[0]}", ""]
    for task, trace in enumerate(sides):
        text += [f"read to 0xffff8c41c0a0f9c8 of 8 bytes by task {task} on cpu {task}:"]
        text += [f" {function}" for function in trace] + [""]
    text += ["Reported by Kernel Concurrency Sanitizer on:",
             "Workqueue: refless_free batch_done [refless]"] + ([LINE] if end else [])
    return "\n".join(f"[   17.675799] {line}" for line in text) + "\n"


def found(text):
    """The splats that boot sees in a console with this text."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as console:
        console.write(text)
        console.flush()
        return boot.splats(console.name)


class Reports(unittest.TestCase):
    def test_the_kernels_own_is_passed_over(self):
        self.assertEqual(found(report(READ, LOAD)), [])

    def test_refless_on_either_side_counts(self):
        self.assertEqual(len(found(report(LOCKLESS, READ))), 1)
        self.assertEqual(len(found(report(READ, LOCKLESS))), 1)

    def test_a_function_that_refless_calls_counts(self):
        self.assertEqual(len(found(report(["memcpy+0x10/0x20"] + LOCKLESS, READ))), 1)

    def test_the_hooks_count(self):
        self.assertEqual(len(found(report(["__refless_free+0x10/0x20"] + READ, READ))), 1)

    def test_what_interrupts_refless_does_not(self):
        for entry in ("asm_sysvec_apic_timer_interrupt", "asm_common_interrupt",
                      "asm_exc_page_fault"):
            handler = ["search_module_extables+0x2d/0x50", entry + "+0x26/0x30"]
            self.assertEqual(found(report(handler + LOCKLESS, LOAD)), [])

    def test_refless_in_an_interrupt_or_a_fault_counts(self):
        for entry in ("asm_sysvec_apic_timer_interrupt", "asm_exc_page_fault"):
            trace = ["flag_if_hot+0x10/0x90 [refless]", entry + "+0x26/0x30"] + READ
            self.assertEqual(len(found(report(trace, READ))), 1)

    def test_one_cut_short_counts(self):
        self.assertEqual(len(found(report(READ, LOAD, end=False))), 1)

    def test_another_complaint_inside_counts(self):
        text = report(READ, LOAD).replace("Reported by", "WARNING: CPU: 1 PID: 7\nReported by")
        self.assertEqual(len(found(text)), 1)


if __name__ == "__main__":
    unittest.main()
