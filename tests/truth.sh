#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Readers see only bytes of their file under writers, truncation, reclaim,
# migration and splits; and the test notices when a guard is taken away.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${TRUTH_SECONDS:-60}
debug=$("$top/scripts/build-kernel" debug)
module=$("$top/scripts/build-module" debug with-faults)
log=$cache/truth.log

truth_with() {
	vm "$debug" "truth.sh $seconds $*" --module "$module" --cpus 4 --nodes 2 --memory 3072 \
		--timeout $((seconds * 3 + 400)) --console "$cache/truth.console" | tee "$log"
}

check "debug: $seconds s without a wrong byte or a splat" truth_with
show cat "$log"
check "debug: the same with stretched race windows" truth_with \
	fault_lookup_window_us=2000 fault_copy_window_us=2000
show cat "$log"

# The mutants: each has to be noticed, by a wrong byte or by KASAN.
mutant() { ! truth_with "$@"; }
check "debug: skipping the deferral is noticed" mutant \
	fault_skip_deferral=1 fault_copy_window_us=2000
show tail -n 30 "$log"
