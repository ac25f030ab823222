#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# cycles.sh CYCLES: load and unload the module under full read load, with folios
# being dropped all the time. Fails unless each unload leaves nothing waiting
# (the module itself warns if it does, which the console shows).
cycles=$1
preadbench /ext4/cycle 2 16 same 100000 >/dev/null &
one=$!
preadbench /tmpfs/cycle 2 4096 same 100000 >/dev/null &
two=$!
truth 100000 /ext4 /tmpfs /huge /xfs >/tmp/truth.log &
sleep 2
# Ahead of the load, which would otherwise get most of each cycle.
renice -n -20 -p $$ >/dev/null
i=0
most=0
while [ $i -lt "$cycles" ]; do
	insmod /refless.ko || { echo "cycle $i: insmod failed"; exit 1; }
	sleep 0.3
	reads=$(cat /sys/kernel/debug/refless/filemap_reads)
	deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
	total_reads=$((total_reads + reads))
	total_deferred=$((total_deferred + deferred))
	began=$(cut -d. -f1 /proc/uptime)
	rmmod refless || { echo "cycle $i: rmmod failed"; exit 1; }
	took=$(($(cut -d. -f1 /proc/uptime) - began))
	[ $took -le $most ] || most=$took
	i=$((i + 1))
done
kill $one $two
killall truth
wait
grep -q 'WRONG' /tmp/truth.log && { cat /tmp/truth.log; exit 1; }
echo "cycles $i: $total_reads reads without a reference, $total_deferred pages deferred, slowest unload $most s"
[ "$total_reads" -gt 0 ] && [ "$total_deferred" -gt 0 ]
