#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What waits for a grace period must not cost an allocation, a process, or a
# memory block.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
log=$cache/pressure.log
pressure() { vm "$kernel" "pressure.sh 20" --module "$module" --memory 512 | tee "$log"; }
check "hot data dropped beside a memory hog: no OOM kill, the bound holds" pressure
show cat "$log"
offline() {
	vm "$kernel" "offline.sh 1" --module "$module" --memory 1536 \
		--append movablecore=512M --timeout 900 | tee "$log"
}
check "memory blocks go offline as often as without the module" offline
show cat "$log"
