#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs the sequence on each file system with the module off and on; fails on any
# difference, and if the module served so few reads that nothing was compared.
echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
failed=0
for fs in ext4 tmpfs huge xfs; do
	mkdir -p /$fs/d
	differential /$fs/d >/tmp/off.log 2>&1 || { cat /tmp/off.log; exit 1; }
	insmod /refless.ko || exit 1
	differential /$fs/d >/tmp/on.log 2>&1 || { cat /tmp/on.log; exit 1; }
	reads=$(cat /sys/kernel/debug/refless/filemap_reads)
	reads=$((reads + $(cat /sys/kernel/debug/refless/tmpfs_reads)))
	rmmod refless || exit 1
	calls=$(wc -l </tmp/on.log)
	echo "$fs: $calls results, $reads reads without a reference"
	if ! cmp -s /tmp/off.log /tmp/on.log; then
		diff /tmp/off.log /tmp/on.log | head -n 40
		failed=1
	fi
	# Each result stands for about eight reads; at least one of them.
	[ "$reads" -gt "$calls" ] || { echo "$fs: too few reads without a reference"; failed=1; }
done
# The sequence asks for these; the kernel may have answered with nothing done.
for event in pswpout pswpin pgmigrate_success thp_split_page; do
	count=$(sed -n "s/^$event //p" /proc/vmstat)
	echo "$event $count"
	[ "$count" -gt 0 ] || { echo "$event: nothing was done"; failed=1; }
done
swapoff /dev/zram0
exit $failed
