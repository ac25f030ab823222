#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Wherever page cache memory gets another owner or another use, with or without a
# free, a reader without a reference sees only bytes of its own file; and sees
# others as soon as the guard of that place is taken away. REUSE_ROUNDS lengthens
# it (default 2 rounds each).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
# shellcheck source=tests/lib/modules.sh
. "$top/tests/lib/modules.sh"
need_packages f2fs-tools nilfs-tools

rounds=${REUSE_ROUNDS:-2}
log=$cache/reuse.log
disks=$(mktemp -d)
trap 'rm -rf "$disks"' EXIT

# run FLAVOUR CASES ARGUMENT...: one boot for all cases; what it prints is in the log.
run() {
	# A line of the guest's shell.
	local flavour=$1 cases=${2//$'\n'/ } kernel
	shift 2
	kernel=$("$top/scripts/build-kernel" "$flavour")
	vm "$kernel" "reuse.sh $rounds $cases" \
		--module "$("$top/scripts/build-module" "$flavour" with-faults)" \
		--module "$(test_module "$flavour" unflag)" --nodes 2 --memory 1536 \
		--qemu=-chardev --qemu=file,id=sink,path=/dev/null \
		--qemu=-device --qemu=virtserialport,chardev=sink,name=sink "$@" >"$log"
}
# The line of a case says how its program ended.
right() { grep -q "^$1 0 " "$log" || { grep "^$1 " "$log"; return 1; }; }
# The page left its place; whether the reader was still there is another matter.
left() { right "$1" || grep -q "^$1 4 .* 0 reads returned foreign bytes" "$log"; }
wrong() { grep -q "^$1 1 .*[1-9][0-9]* reads returned foreign bytes" "$log" || { grep "^$1 " "$log"; return 1; }; }
# Refused: the page stays where it is, so its program says that it never left.
stayed() { grep -q "^$1 3 .* 0 reads returned foreign bytes" "$log" || { grep "^$1 " "$log"; return 1; }; }

check "the cases run" run production \
	"swap swap-fault_skip_deferral migrate migrate-fault_skip_deferral
	collapse collapse-fault_skip_deferral split split-split order order-fault_skip_last_slot
	steal steal-steal fuse fuse-steal fuse-move"
show cat "$log"
check "a page that goes to swap keeps its bytes for the reader" right swap
check "... not when its free is not deferred" wrong swap-fault_skip_deferral
check "a page that moves to another node" right migrate
check "... not when its free is not deferred" wrong migrate-fault_skip_deferral
check "small pages that become a large one" right collapse
check "... not when their free is not deferred" wrong collapse-fault_skip_deferral
check "a page of a large folio that is split, then freed" right split
check "... not when the split does not hand the flag on" wrong split-split
check "a folio that is split while its order is read" right order
check "... not when its last page's slot is not looked at" wrong order-fault_skip_last_slot
check "splice does not steal a flagged page" stayed steal
check "... it does when it does not see the flag" left steal-steal
check "fuse does not move a flagged page" stayed fuse
check "... nor when only splice does not see the flag" right fuse-steal
check "... it does when neither sees it, and a reader finds another file's bytes" wrong fuse-move

truncate -s 160M "$disks/f2fs" "$disks/nilfs2"
PATH=$PATH:/usr/sbin:/sbin
mkfs.f2fs -q "$disks/f2fs" >/dev/null && mkfs.nilfs2 -q "$disks/nilfs2"
drive() { echo "--qemu=-drive --qemu=file=$disks/$1,if=virtio,format=raw,cache=unsafe"; }
# shellcheck disable=SC2046 # several arguments
of_other_file_systems() { run debug "$1" $(drive f2fs) $(drive nilfs2) "${@:2}"; }
check "debug: the cases of f2fs and nilfs2 run" of_other_file_systems "abort replace drop"
show cat "$log"
check "f2fs: a page that an atomic write gives up" right abort
check "f2fs: a page that an atomic write replaces" right replace
check "nilfs2: a page that is dropped" right drop
# What KASAN says of these is as good as a foreign byte, and no failure.
check "debug: their mutants run" of_other_file_systems \
	"replace-exiting drop-fault_skip_deferral" --allow-splats
show cat "$log"
check "f2fs: ... not when an exiting mapping were taken for an inode in eviction" wrong replace-exiting
check "nilfs2: ... not when its free is not deferred" wrong drop-fault_skip_deferral
