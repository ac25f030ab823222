#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory errors on pages of hot files: readers get what they get without the
# module, and nothing poisoned goes back to the allocator, whether the page is
# clean, dirty, mapped, pinned, part of a large folio, or waits for a grace period.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production with-faults)
log=$cache/poison.log
# Seconds until a guest that hangs is given up.
timeout=600
all="ext4,small xfs,large tmpfs,small huge,large"

inject() {
	vm "$kernel" "$(printf '%s\n' "$@")" --module "$module" --memory 1024 \
		--timeout $timeout --append "${append:-}" >"$log"
}
said() { grep -q "^$1" "$log"; }
not_said() { ! grep "^$1" "$log"; }

check "the cases run" inject "poison.sh right '$all'" \
	"STATE=clean poison.sh marked tmpfs,small fault_skip_poison=1" \
	"STATE='in a pipe' poison.sh marked huge,large fault_skip_poison=1" \
	"STATE=waits poison.sh undrained 'ext4,small huge,large' fault_skip_drain=1"
show cat "$log"
for place in $all; do
	check "$place: readers, marks and errnos are those without the module" said "right $place same"
done
check "no poisoned page is allocated again" not_said "right .*reused"
check "a reader that ignores the mark is noticed (small)" said "marked tmpfs,small differs"
check "a reader that ignores the mark is noticed (large)" said "marked huge,large differs"
check "a waiting page that is not drained is noticed" said "undrained ext4,small differs"
check "... and still does not come back" not_said "undrained .*reused"
# The same page is twice in the deferred lists then, and what they link is nonsense. The
# kernel says so in one of several ways, and may do so without end.
timeout=60
refuse "deferring the free of a page that is taken offline is noticed" 'Oops\|list_\|BUG: ' \
	inject "STATE=undone poison.sh twice ext4,small fault_defer_poisoned=1"
timeout=600
# The allocator looks at each page that it gives out, and drops the whole block, if
# they are initialized; which would hide it.
append=init_on_alloc=0
check "two more cases run" inject \
	"STATE=waits poison.sh apart huge,large fault_skip_drain=1" \
	"STATE=waits poison.sh whole huge,large fault_skip_drain=1 fault_free_poisoned=1"
show cat "$log"
check "a large folio that was hit while it waited goes back without the page" not_said "apart .*reused"
check "... and if it went back whole, that is noticed" said "whole huge,large reused"
