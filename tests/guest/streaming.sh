#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reading a file of twice the memory once may flag no folio and defer no page.
mib=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 512))
insmod /refless.ko || exit 1
for fs in ext4 xfs; do
	file=/$fs/stream
	# Sparse: the pages are real, the disk need not be.
	dd if=/dev/zero of=$file bs=1M count=0 seek=$mib 2>/dev/null || exit 1
	before=$(cat /sys/kernel/debug/refless/folios_flagged)
	deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
	dd if=$file of=/dev/null bs=4k 2>/dev/null || exit 1
	dd if=$file of=/dev/null bs=64k 2>/dev/null || exit 1
	flagged=$(($(cat /sys/kernel/debug/refless/folios_flagged) - before))
	deferred=$(($(cat /sys/kernel/debug/refless/pages_deferred) - deferred))
	echo "streaming $fs: $mib MiB read, $flagged folios flagged, $deferred pages deferred"
	[ $flagged -eq 0 ] && [ $deferred -eq 0 ] || exit 1
	rm $file
done
rmmod refless
