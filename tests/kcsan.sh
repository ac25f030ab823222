#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# No data race of refless's own in a KCSAN kernel, and one that is there on purpose
# is reported. The kernel has races of its own, which are passed over.
# KCSAN_SECONDS=600 scripts/test kcsan runs both halves for so long (default 16).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${KCSAN_SECONDS:-16}
kernel=$("$top/scripts/build-kernel" kcsan)
module=$("$top/scripts/build-module" kcsan with-faults)
log=$cache/kcsan.log

kcsan_vm() {
	vm "$kernel" "$1" --module "$module" --cpus 4 --nodes 2 --memory 2048 \
		--append kcsan.skip_watch=200 --timeout $((seconds * 6 + 300)) \
		--console "$log.console" | tee "$log"
}
check "a report counts if a function of refless takes part, and only then" \
	/usr/bin/python3 "$top/tests/lib/kcsan_report_test.py"
check "kcsan: $seconds s of truth, and of races, without a race of refless" \
	kcsan_vm "kcsan.sh $seconds"
show grep -E '^(reads|wrong|filemap_reads|tmpfs_reads|pages_deferred|setup_watch|data_races)' "$log"
show grep -o 'BUG: KCSAN.*' "$log.console"
check "kcsan: load and unload under load without one" \
	kcsan_vm "echo on >/sys/kernel/debug/kcsan; cycles.sh 5"
show cat "$log"
refuse "kcsan: a race that was put in is reported" 'KCSAN: data-race in fault_wait' \
	kcsan_vm "kcsan.sh 4 fault_plain_race=1"
