#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture module in the debug kernel, with race windows stretched, failures
# injected and refless loaded again and again; and that it notices a lost guard.
# TORTURE_SECONDS=600 scripts/test torture runs it for longer (default 30).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${TORTURE_SECONDS:-30}
debug=$("$top/scripts/build-kernel" debug)
refless=$("$top/scripts/build-module" debug with-faults)
torture=$("$top/scripts/build-module" debug torture)
log=$cache/torture.log

torture() {
	vm "$debug" "torture.sh $*" --module "$refless" --module "$torture" --cpus 4 --nodes 2 \
		--memory 3072 --append movablecore=1G --timeout $((seconds * 3 + 400)) | tee "$log"
}
windows="fault_lookup_window_us=500 fault_flags_window_us=500 fault_copy_window_us=500"
check "debug: $seconds s of torture" torture "$seconds" "$windows"
show cat "$log"

noticed() { ! torture 15 "$@" 2>"$log.console" && grep -hE 'WRONG BYTE|KASAN' "$log" "$log.console"; }
check "debug: a free that is not deferred is noticed" noticed fault_skip_deferral=1 \
	fault_copy_window_us=2000
show grep -hE 'WRONG BYTE|KASAN' "$log" "$log.console"
