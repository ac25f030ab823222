#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What waits for a grace period must not cost an allocation or a process: beside a
# memory hog, with and without swap, in a memory cgroup, and when it is the last
# memory there is. PRESSURE_SECONDS lengthens it (default 4 for each load).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
# shellcheck source=tests/lib/modules.sh
. "$top/tests/lib/modules.sh"

seconds=${PRESSURE_SECONDS:-4}
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
faults=$("$top/scripts/build-module" production with-faults)
atomics=$(test_module production atomics)
log=$cache/pressure.log

# pressure MEMORY PLACE...: one boot for all places; "holds" stands after those that do.
pressure() {
	local memory=$1
	shift
	vm "$kernel" "for place in $*; do pressure.sh $seconds \$place && echo \$place holds; done" \
		--module "$module" --module "$atomics" --memory "$memory" \
		--timeout $((seconds * 6 + 300)) >"$log"
}
holds() { grep -qx "$1 holds" "$log"; }
check "the loads run" pressure 640 plain swap group
show cat "$log"
check "hot data dropped beside a memory hog: nothing fails that did not before" holds plain
check "... with swap" holds swap
check "... in a memory cgroup" holds group
check "the load with plenty of memory runs" pressure 1536 plenty
show cat "$log"
check "with plenty of memory, no grace period is expedited" holds plenty

last() {
	vm "$kernel" "insmod /refless.ko waiting_limit_mib=400 $1 && last-memory /ext4/file 2" \
		--module "$faults" --memory 512 >"$log"
}
check "the last memory there is waits, and is freed before OOM" last ""
show cat "$log"
killed() { ! last fault_skip_drain=1 && grep -q '[1-9] of 2 processes were killed' "$log"; }
check "... without the drains a process is killed" killed
show cat "$log"
