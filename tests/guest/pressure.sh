#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# pressure.sh SECONDS: hot data is dropped next to a process that touches most of
# the memory. No OOM kill, and no more waiting memory than the documented bound.
seconds=$1
limit=16
insmod /refless.ko waiting_limit_mib=$limit || exit 1
free_mib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
hog $((free_mib - 90)) "$seconds" &
hog=$!
hotdrop /ext4/hot 64 "$seconds" &
hotdrop /xfs/hot 64 "$seconds" &
wait $hog || { echo "the hog was killed"; exit 1; }
wait
kills=$(sed -n 's/^oom_kill //p' /proc/vmstat)
grep -E 'pages_deferred|expedited|drain|now' /sys/kernel/debug/refless/summary
peak=$(sed -n 's/^total .* peak //p' /sys/kernel/debug/refless/waiting_zones)
deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
rmmod refless || exit 1
# Four times the limit, what one expedited grace period lets through (as much
# again is ample), and what the CPUs have not folded into the sum.
bound=$((limit * 256 * 8 + 64 * $(nproc)))
echo "pressure: $deferred pages deferred, peak $peak of at most $bound, $kills OOM kills"
[ "$kills" -eq 0 ] && [ "$deferred" -gt 0 ] && [ "$peak" -le $bound ]
