#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# count.sh READS: what scripts/count-instructions runs; one line a measurement.
reads=$1

measure() {
	for fs in ext4 tmpfs xfs; do
		# The file has 64 KiB: offset 1 MiB is beyond its end.
		preadbench --count /$fs/counted 16 1048576 "$reads" && echo "$1 $fs-floor"
		preadbench --count /$fs/counted 16 0 "$reads" && echo "$1 $fs"
	done
}
measure off
[ -e /refless.ko ] || exit 0
insmod /refless.ko || exit 1
measure on
echo 0 >/sys/module/refless/parameters/stats
measure uncounted
