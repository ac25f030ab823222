#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which cache lines two CPUs share and write when they read one file: with the module
# none, without it the folio's. Every access of each read is recorded, so this is exact.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

dir=$cache/lines
rm -rf "$dir"
check "two CPUs' accesses are recorded" "$top/scripts/record-accesses" production "$dir" \
	ext4:16:own-fd:50 tmpfs:16:own-fd:50 ext4:16:inherited:50 tmpfs:16:inherited:50 \
	ext4:16:thread-fd:50 huge:16:own-fd:50 xfs:16:own-fd:50 blockdev:16:own-fd:50
report() { "$top/scripts/shared-lines" "$dir/$1.trace"; }

# Most reads met no interrupt, and none of those wrote a line that the other CPU uses.
shares_nothing() {
	report "$1" | awk '
		NR == 1 && $2 >= 0.8 * $4 && $9 == "0.00" && $12 == 0 { good = 1 }
		{ print }
		END { exit !good }'
}
# The lines that are written, by the fields at them that are.
written_fields() {
	report "$1" | sed -n 's/^ *fields: //p' | tr ',' '\n' | sed -n 's/^ *\(.*\)[=!]$/\1/p' | sort -u
}
writes() { written_fields "$1" | grep -qxF -- "$2"; }
writes_only() { [ "$(written_fields "$1")" = "$2" ]; }

for fs in ext4 tmpfs huge; do
	check "$fs, module off: the folio's reference count is written by both CPUs" \
		writes off-$fs-16-own-fd folio._refcount
	show report off-$fs-16-own-fd
	check "$fs, module on: no read writes a line that the other CPU uses" \
		shares_nothing on-$fs-16-own-fd
	show report on-$fs-16-own-fd
done
for fs in ext4 tmpfs; do
	check "$fs, module on, one open file in two processes: no shared line is written" \
		shares_nothing on-$fs-16-inherited
	show report on-$fs-16-inherited
done
# Threads that share a descriptor count its users; the count is the only line left.
check "ext4, module on, one descriptor in two threads: only its count is written" \
	writes_only on-ext4-16-thread-fd file.f_count
show report on-ext4-16-thread-fd
# XFS and block devices take the inode's lock for reading before refless sees the read.
for fs in xfs blockdev; do
	check "$fs, module on: only the inode's lock is written" \
		writes_only on-$fs-16-own-fd $'inode.i_rwsem.count\ninode.i_rwsem.owner'
	show report on-$fs-16-own-fd
done

refuse "a case that makes no sense is refused" "not a case: ext4:16" \
	"$top/scripts/record-accesses" production "$dir" ext4:16
refuse "a file that is no trace is refused" "not a line of a trace" \
	"$top/scripts/shared-lines" "$top/tests/lines.sh"
