#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers see only bytes of their file under writers, truncation, reclaim,
# migration and splits; and the test notices when a guard is taken away.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${TRUTH_SECONDS:-40}
debug=$("$top/scripts/build-kernel" debug)
module=$("$top/scripts/build-module" debug with-faults)
log=$cache/truth.log
all="'/ext4 /tmpfs /huge /xfs'"

truth_with() {
	vm "$debug" "AIM=${aim-} truth.sh $seconds $*" --module "$module" --cpus 4 --nodes 2 --memory 3072 \
		--timeout $((seconds * 3 + 400)) --console "$cache/truth.console" >"$log"
}

check "debug: $seconds s without a wrong byte or a splat" truth_with "$all"
show cat "$log"
check "debug: the same with stretched race windows" truth_with "$all" \
	fault_lookup_window_us=2000 fault_copy_window_us=2000
show cat "$log"

# The mutants: each has to be noticed, by a wrong byte or by KASAN. A wrong byte
# ends the run, so most take less than this.
seconds=120
noticed() {
	! truth_with "$@" 2>"$log.console" && grep -E 'WRONG BYTE|KASAN' "$log" "$log.console"
}
check "debug: a free that is not deferred is noticed" noticed "$all" \
	fault_skip_deferral=1 fault_copy_window_us=2000
show grep -hE 'WRONG BYTE|KASAN' "$log" "$log.console"
# A recycling takes a few hundred milliseconds among all the others.
aim=-a
check "debug: a slot that is not looked at again is noticed" noticed /tmpfs \
	fault_skip_reload=1 fault_lookup_window_us=500000
show grep -hE 'WRONG BYTE|KASAN' "$log" "$log.console"
