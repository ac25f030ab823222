#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# count.sh READS [BYTES...]: what scripts/count-instructions runs; one line a
# measurement. Without BYTES, reads of 16 and the floor.
reads=$1
shift
sizes=$*

# count STATE NAME FILE BYTES OFFSET
count() {
	preadbench --count "$3" "$4" "$5" "$reads" && echo "$1 $2"
}

measure() {
	if [ -z "$sizes" ]; then
		for fs in ext4 tmpfs xfs; do
			# The file has 64 KiB: offset 1 MiB is beyond its end.
			count "$1" $fs-floor /$fs/counted 16 1048576
			count "$1" $fs /$fs/counted 16 0
		done
	fi
	for bytes in $sizes; do
		for fs in ext4 tmpfs huge xfs; do
			count "$1" $fs-"$bytes" /$fs/counted "$bytes" 0
		done
	done
}
measure off
[ -e /refless.ko ] || exit 0
insmod /refless.ko || exit 1
measure on
echo 0 >/sys/module/refless/parameters/stats
measure uncounted
[ -z "$sizes" ] || exit 0
echo 0 >/sys/module/refless/parameters/read
measure idle
