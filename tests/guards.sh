#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A guard that no other test needs: a task that is being killed ends its long read,
# and goes on with it when nobody looks for the signal.
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
