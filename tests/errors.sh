#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The obvious mistakes: one clear line, a failure, nothing changed.
. "$(dirname "$0")/lib/check.sh"

# Of its own, to tell what is left behind from what is another test's.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
in_vm() { vm "$kernel" "parameters.sh" --module "$module"; }
check "parameters: nonsense is refused, what is good is taken" in_vm

refuse "build-kernel: an unknown flavour" 'build-kernel FLAVOUR' "$top/scripts/build-kernel" nonsense
refuse "boot: no kernel there" 'build-kernel builds one' "$top/scripts/boot" /nonexistent true
refuse "demo: nonsense rounds" "not 'many'" "$top/scripts/demo" many
refuse "ab-table: nonsense input" 'not a line of ab-bench' "$top/scripts/ab-table" <<<"nonsense"
refuse "test: no such test" "there is no test 'nonsense'" "$top/scripts/test" nonsense
refuse "make: a kernel without the hooks" 'has no CONFIG_REFLESS_HOOKS' \
	make -C "$("$top/scripts/build-kernel" stock-objects mm/filemap.o)" M="$top" modules
clean() { make -C "$("$top/scripts/build-kernel" stock-objects mm/filemap.o)" M="$top" clean; }
check "make clean works there" clean
refuse "the guest's failure is boot's" 'nothing like this' \
	"$top/scripts/boot" "$kernel" 'echo nothing like this; exit 7'
check "a guest of several CPUs survives the emulator's stale breakpoints" \
	"$top/scripts/boot" "$kernel" 'grep -q ^rerun_breakpoint /proc/modules'
refuse "a splat fails the run" 'console: .*sysrq' \
	"$top/scripts/boot" "$kernel" 'echo "WARNING: sysrq test" >/dev/kmsg'
refuse "a guest that hangs is ended" 'hung without a result' \
	"$top/scripts/boot" "$kernel" 'sleep 1000' --timeout 20
left_behind() { ! pgrep -af "qemu.*$TMPDIR/refless-vm-" && [ -z "$(ls -A "$TMPDIR")" ]; }
check "no VM and no file is left behind" left_behind
