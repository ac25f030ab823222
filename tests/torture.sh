#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture module and the truth test side by side in the debug kernel, with race
# windows stretched, failures injected and refless loaded again and again; and that the
# module notices lost guards, in the production kernel, where there is nothing but what
# was read to tell it. scripts/soak 3600 runs the first half for an hour.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
# shellcheck source=tests/lib/modules.sh
. "$top/tests/lib/modules.sh"

log=$cache/torture.log

soak() { "$top/scripts/soak" 40 debug | tee "$log"; }
check "debug: 40 s of torture beside the truth test" soak
show cat "$log"

kernel=$("$top/scripts/build-kernel" production)
refless=$("$top/scripts/build-module" production with-faults)
torture=$(torture_module production)
torture() {
	vm "$kernel" "torture.sh 30 $*" --module "$refless" --module "$torture" --cpus 4 --nodes 2 \
		--memory 3072 --append "movablecore=1G rcutree.kthread_prio=1" | tee "$log"
}
# A wrong byte ends the run, so that most take less than this.
noticed() { ! torture "$@" && grep -h 'WRONG BYTE' "$log"; }
check "production: a free that is not deferred is noticed" noticed fault_skip_deferral=1 \
	fault_copy_window_us=20000
show grep -m 2 'WRONG BYTE' "$log"
check "production: a slot that is not looked at again is noticed" noticed fault_skip_reload=1 \
	fault_lookup_window_us=20000
show grep -m 2 'WRONG BYTE' "$log"
