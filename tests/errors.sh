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
# A tree with one test, of which one half fails; what is said after all others.
said_last() {
	local tree=$TMPDIR/tree rc=0
	mkdir -p "$tree/tests"
	cp -r "$top/scripts" "$tree/"
	cp -r "$top/tests/lib" "$tree/tests/"
	cat >"$tree/tests/half.sh" <<-'EOF'
		. "$(dirname "$0")/lib/check.sh"
		check "what holds" true
		check "what does not" sh -c 'echo a reason; exit 1'
	EOF
	"$tree/scripts/test" half >"$tree/said" 2>&1 || rc=$?
	sed '1,/what failed/d' "$tree/said"
	rm -r "$tree"
	echo "status $rc"
}
failures_told() {
	diff - <(said_last) <<-'EOF'
		not ok - what does not
		# a reason
		1 passed, 1 failed
		status 1
	EOF
}
check "test: the end repeats what failed and why" failures_told
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
hang() { "$top/scripts/boot" "$kernel" 'while :; do :; done' --timeout 20 2>&1 | tee "$TMPDIR/hang"; }
refuse "a guest that hangs is ended" 'hung without a result' hang
check "... and tells what its CPUs were at" grep 'Comm: sh' "$TMPDIR/hang"
rm "$TMPDIR/hang"
left_behind() { ! pgrep -af "qemu.*$TMPDIR/refless-vm-" && [ -z "$(ls -A "$TMPDIR")" ]; }
check "no VM and no file is left behind" left_behind
