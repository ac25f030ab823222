#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What people look at a loaded module with: scripts/top and the tracepoints.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages bash-static

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
log=$cache/tools.log
in_vm() {
	vm "$kernel" "$1" --module "$module" --file /bin/bash-static --file "$top/scripts" | tee "$log"
}
check "top shows what is read, falls back, waits and is drained" in_vm top.sh
show cat "$log"
check "tracepoints tell of each folio flagged and each page deferred" in_vm tracepoints.sh
show cat "$log"
one_liners() {
	vm "$kernel" oneliners.sh --module "$module" --root "$("$top/scripts/debian-image")" \
		--timeout 600 >"$log"
}
check "trace-cmd and bpftrace show them by one line each" one_liners
show cat "$log"
