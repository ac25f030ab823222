#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guards that no other test needs: a task that is being killed ends its long read; only
# what is in the page cache is flagged; all that waits is counted; and deferral does not
# stop before a free that is under way. Each is missed when it is taken away.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production with-faults)
log=$cache/guards.log

killed_read() { vm "$kernel" "insmod /refless.ko $1 && killed-read /ext4/file 32" --module "$module" >"$log"; }
check "a killed process's long read ends" killed_read ""
show cat "$log"
goes_on() { ! killed_read fault_skip_signal=1 && grep -q 'bytes read before the kill' "$log"; }
check "... and goes on when nobody looks for the signal" goes_on
show cat "$log"

bookkeeping() {
	vm "$kernel" "insmod /refless.ko $3 && bookkeeping $1 $2" --module "$module" >"$log"
}
# misses MUTANT SAYS HOW FILE: the program finds it, and not another mishap.
misses() { ! bookkeeping "$3" "$4" "$1=1" && grep -q "$2" "$log"; }
check "a page that was truncated meanwhile gets no flag" bookkeeping flag /tmpfs/file ""
show cat "$log"
refuse "... and nobody looks for its file then" 'BUG: kernel NULL pointer dereference' \
	bookkeeping flag /tmpfs/file fault_skip_mapping=1
check "pages that a CPU counts for itself are told to be waiting" bookkeeping count /ext4/file ""
show cat "$log"
check "... and are not when nobody asks that CPU" \
	misses fault_skip_count '^1 of 5 pages' count /ext4/file
check "reads are off once a free under way has ended" bookkeeping stop /ext4/file ""
show cat "$log"
check "... and before when nobody waits for it" \
	misses fault_skip_stop_wait '^[1-9][0-9]* of 10 times' stop /ext4/file
