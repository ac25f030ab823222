#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# pressure.sh SECONDS PLACE: hot data is dropped as fast as it can be read again
# next to a process that touches most of the memory, while an interrupt allocates
# pages all the time. PLACE is "plain", "swap" (zram), "group" (all of it in a
# memory cgroup of 160 MiB) or "plenty" (no such process). With the module off and
# on: no OOM kill and no failed allocation that is not there without the module,
# no more waiting memory than the documented bound; with plenty of memory no
# expedited grace period.
seconds=$1
place=$2
limit=16
group=/sys/fs/cgroup/pressure

[ "$place" != swap ] ||
	{ echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0; }
if [ "$place" = group ]; then
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	echo 160M >$group/memory.max
fi

oom_kills() {
	sed -n 's/^oom_kill //p' /proc/vmstat
}

# In the cgroup, if that is the place.
run_in_place() {
	[ "$place" != group ] || echo 0 >$group/cgroup.procs
	exec "$@"
}

# load STATE: prints what it cost.
load() {
	case $place in
	group) hog_mib=90 ;;
	swap) hog_mib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 - 50)) ;;
	*) hog_mib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 - 90)) ;;
	esac
	before=$(oom_kills)
	insmod /atomics.ko || exit 1
	hog=
	if [ "$place" != plenty ]; then
		(run_in_place hog $hog_mib "$seconds" >/dev/null) &
		hog=$!
	fi
	(run_in_place hotdrop /ext4/hot 24 "$seconds" >/dev/null) &
	one=$!
	(run_in_place hotdrop /xfs/hot 24 "$seconds" >/dev/null) &
	two=$!
	ended=0
	for process in $hog $one $two; do
		wait "$process" || ended=$((ended + 1))
	done
	failed=$(cat /sys/module/atomics/parameters/failed)
	allocated=$(cat /sys/module/atomics/parameters/allocated)
	rmmod atomics
	kills=$(($(oom_kills) - before))
	echo "pressure $place $1: $kills OOM kills, $ended processes ended early, $failed of $((allocated + failed)) atomic allocations failed"
}

load off
kills_off=$kills
failed_off=$failed
ended_off=$ended
if [ "$place" = plenty ]; then
	insmod /refless.ko || exit 1
	limit=$(cat /sys/module/refless/parameters/waiting_limit_mib)
else
	insmod /refless.ko waiting_limit_mib=$limit || exit 1
fi
load on
deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
expedited=$(cat /sys/kernel/debug/refless/expedited)
peak=$(sed -n 's/^total .* peak //p' /sys/kernel/debug/refless/waiting_zones)
grep -E 'grace_periods|drain' /sys/kernel/debug/refless/summary | awk '$2 > 0'
rmmod refless || exit 1
# Four times the limit, what one expedited grace period lets through (as much
# again is ample), and what the CPUs have not folded into the sum.
bound=$((limit * 256 * 8 + 64 * $(nproc)))
echo "pressure $place: $deferred pages deferred, $peak waited at the peak (bound $bound), $expedited expedited grace periods"
[ "$place" != plenty ] || [ "$expedited" -eq 0 ] || exit 1
[ "$kills" -le "$kills_off" ] && [ "$ended" -le "$ended_off" ] && [ "$failed" -le "$failed_off" ] &&
	[ "$deferred" -gt 0 ] && [ "$peak" -le $bound ]
