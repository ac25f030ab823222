#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the module costs loads that get little for it: data that keeps being read from
# the disk again, hot data that is dropped. In instructions, so that no other load on
# the machine matters. The dropping alone is printed, but not judged: too few instructions
# for what a tick adds. COSTS_ROUNDS=N measures N times as often (default 1).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
log=$cache/costs.log
costs() {
	vm "$kernel" "costs.sh ${COSTS_ROUNDS:-1}" --module "$module" --cpus 1 --memory 1024 \
		--append cryptomgr.notests=1 --timeout 1200 \
		--qemu=-icount --qemu=shift=1,sleep=off >"$log"
}
# ratio LOAD: of the medians with and without the module.
ratio() {
	local state medians=()
	for state in on off; do
		medians+=("$(awk -v load="$1" -v state=$state '$1 == load && $2 == state { print $3 }' "$log" |
			sort -n | awk '{ s[NR] = $1 } END { print (s[int((NR + 1) / 2)] + s[int(NR / 2) + 1]) / 2 }')")
	done
	awk -v on="${medians[0]}" -v off="${medians[1]}" 'BEGIN { printf "%.3f\n", on / off }'
}
# at_most LIMIT LOAD
at_most() { awk -v ratio="$(ratio "$2")" -v limit="$1" 'BEGIN { exit !(ratio > 0.5 && ratio <= limit) }'; }

check "the loads run" costs
show cat "$log"
for load in refault-loop refault-random hot-and-drop drop-alone; do
	echo "# $load: $(ratio $load) of the instructions without the module"
done
check "a file that is read again and again from the disk costs at most 3 % more" at_most 1.03 refault-loop
check "... at random, too" at_most 1.03 refault-random
check "hot data that is read and dropped costs at most 5 % more" at_most 1.05 hot-and-drop
