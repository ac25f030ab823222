#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory that is wanted in one piece, or taken away, is to be had as often as
# without the module, and less often without its drains: contiguous ranges, huge
# pages, memory blocks offline, a memory module unplugged. ISOLATION_ROUNDS
# lengthens it (default 1).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
# shellcheck source=tests/lib/modules.sh
. "$top/tests/lib/modules.sh"

rounds=${ISOLATION_ROUNDS:-1}
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
faults=$("$top/scripts/build-module" production with-faults)
log=$cache/isolation.log

# isolation MIB ROUNDS WHAT...
isolation() {
	vm "$kernel" "isolation.sh ${*:2}" --module "$faults" \
		--module "$(test_module production contig)" --memory "$1" \
		--append movablecore=256M --timeout 900 >"$log"
}
# share WHAT STATE: of those tried, in per cent.
share() { awk -v what="$1" -v state="$2" '$1 == what && $2 == state { print int(100 * $3 / $5) }' "$log"; }
# What else is in the way of an attempt is a matter of luck, by a few per cent.
as_often() { [ "$(share "$1" on)" -ge $(($(share "$1" off) - 10)) ]; }
seldom() { [ "$(share "$1" undrained)" -lt $(($(share "$1" on) / 2)) ]; }

check "the cases run" isolation 1536 "$rounds" ranges huge_pages
show cat "$log"
check "4 MiB ranges are allocated as often as without the module" as_often ranges-of-1024
check "... without the drain not half as often" seldom ranges-of-1024
check "1 MiB ranges that begin anywhere, as often" as_often ranges-of-256
check "... without the drain not half as often" seldom ranges-of-256
check "huge pages, as many" as_often huge-pages
check "gigantic pages are asked for" isolation 6144 $((2 * rounds)) gigantic_pages
show cat "$log"
some() { [ "$(share gigantic-pages off)" -gt 0 ]; }
check "... there are some without the module" some
check "... and as many with it" as_often gigantic-pages
drained() { grep -q '^drained_isolation *[1-9]' "$log"; }
check "... for which pages that waited were freed" drained

offline() {
	vm "$kernel" "offline.sh $rounds" --module "$module" --memory 1536 \
		--append movablecore=512M --timeout 900 >"$log"
}
check "memory blocks go offline as often as without the module" offline
show cat "$log"

# The guest says when it wants a memory module to be taken out.
unplug() {
	local sockets status=0
	sockets=$(mktemp -d)
	vm "$kernel" unplug.sh --module "$module" --memory 1024 --timeout 600 \
		--append memhp_default_state=online_movable \
		--qemu=-m --qemu=slots=2,maxmem=4G \
		--qemu=-object --qemu=memory-backend-ram,id=m1,size=256M \
		--qemu=-device --qemu=pc-dimm,id=dimm1,memdev=m1 \
		--qemu=-object --qemu=memory-backend-ram,id=m2,size=256M \
		--qemu=-device --qemu=pc-dimm,id=dimm2,memdev=m2 \
		--qemu=-qmp "--qemu=unix:$sockets/qmp,server=on,wait=off" |
		while read -r line; do
			echo "$line"
			case $line in
			"unplug "*) "$top/tests/lib/unplug-device" "$sockets/qmp" "${line#unplug }" ;;
			esac
		done >"$log" || status=$?
	rm -rf "$sockets"
	return $status
}
check "a memory module can be unplugged, with the module off and on" unplug
show cat "$log"
