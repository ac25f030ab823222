#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture module in the debug kernel, with race windows stretched, failures
# injected and refless loaded again and again; and that it notices lost guards, in
# the production kernel, where there is nothing but what was read to tell it.
# TORTURE_SECONDS=600 scripts/test torture runs it for longer (default 40).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
# shellcheck source=tests/lib/modules.sh
. "$top/tests/lib/modules.sh"

seconds=${TORTURE_SECONDS:-40}
log=$cache/torture.log

# torture FLAVOUR SECONDS [PARAMETER=VALUE...]
torture() {
	local flavour=$1 kernel refless torture
	shift
	kernel=$("$top/scripts/build-kernel" "$flavour")
	refless=$("$top/scripts/build-module" "$flavour" with-faults)
	torture=$(torture_module "$flavour")
	vm "$kernel" "torture.sh $*" --module "$refless" --module "$torture" --cpus 4 --nodes 2 \
		--memory 3072 --append "movablecore=1G rcutree.kthread_prio=1" --timeout $((seconds * 3 + 400)) | tee "$log"
}
check "debug: $seconds s of torture" torture debug "$seconds"
show cat "$log"

# A wrong byte ends the run, so that most take less than this.
noticed() { ! torture production 30 "$@" && grep -h 'WRONG BYTE' "$log"; }
check "production: a free that is not deferred is noticed" noticed fault_skip_deferral=1 \
	fault_copy_window_us=20000
show grep -m 2 'WRONG BYTE' "$log"
check "production: a slot that is not looked at again is noticed" noticed fault_skip_reload=1 \
	fault_lookup_window_us=20000
show grep -m 2 'WRONG BYTE' "$log"
