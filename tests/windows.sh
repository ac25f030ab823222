#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One folio freed and reused in the reader's hands, on purpose: right with the
# guards, wrong as soon as the guard of that moment is taken away.
. "$(dirname "$0")/lib/check.sh"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production with-faults)

window() { vm "$kernel" "insmod /refless.ko $3; window $1 $2 20" --module "$module"; }
# The program fails, and by what it says, not by another mishap.
broken() {
	local output
	output=$(window "$@" 2>&1) && { echo "$output"; return 1; }
	echo "$output"
	grep -q '[1-9][0-9]* of 20 reads returned foreign bytes' <<<"$output"
}

for file in /ext4/file /tmpfs/file; do
	check "a folio freed before the copy keeps its bytes ($file)" window copy $file ""
	check "... and does not when its free is not deferred" \
		broken copy $file fault_skip_deferral=1
	check "a folio reused after the look-up is not copied ($file)" window lookup $file ""
	check "... and is when the slot is not looked at again" \
		broken lookup $file fault_skip_reload=1
done
check "a folio that comes back by way of a deleted file is not copied" window evict /ext4/file ""
check "... and is when an evicted file's folios do not wait" \
	broken evict /ext4/file fault_skip_eviction_wait=1
