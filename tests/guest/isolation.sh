#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# isolation.sh ROUNDS WHAT...: memory is wanted in one piece while hot file data comes
# and goes: ranges (of the movable zone), huge_pages (after compaction), gigantic_pages.
# With the module off; with it on, and each grace period held for 20 ms by a reader;
# and without its drains, which has to cost something. Prints a line each: what,
# state, how many of how many.
rounds=$1
shift
# MiB of each of two hot files.
size=150

ranges() {
	zone=$(awk '/^Node/ { movable = $4 == "Movable" }
		movable && $1 == "spanned" { spanned = $2 }
		movable && $1 == "start_pfn:" { print $2, $2 + spanned }' /proc/zoneinfo)
	first=${zone% *}
	last=${zone#* }
	[ "$last" -gt "$first" ] || { echo "there is no movable zone"; exit 1; }
	# Of 4 MiB and of 1 MiB, which do not begin where free blocks do.
	for range in "1024 0" "256 77"; do
		insmod /contig.ko start_pfn=$((first + ${range#* })) end_pfn="$last" \
			pages="${range% *}" rounds="$rounds" || exit 1
		cd /sys/module/contig/parameters || exit 1
		echo "ranges-of-${range% *} $1 $(cat allocated) of $(cat tried)"
		cd /tmp || exit 1
		rmmod contig
	done
}

huge_pages() {
	want=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 2048 / 4))
	got=0
	i=0
	while [ $i -lt "$rounds" ]; do
		echo $want >/proc/sys/vm/nr_hugepages
		got=$((got + $(cat /proc/sys/vm/nr_hugepages)))
		echo 0 >/proc/sys/vm/nr_hugepages
		echo 1 >/proc/sys/vm/compact_memory
		i=$((i + 1))
	done
	echo "huge-pages $1 $got of $((want * rounds))"
}

# All that the memory could hold, which is never to be had. Few pages wait at any moment,
# so with the module's drains it is asked for until some were in the way.
drained() { [ "$(cat /sys/kernel/debug/refless/drained_isolation)" -gt 0 ]; }
gigantic_pages() {
	pool=/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages
	want=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1048576))
	got=0
	i=0
	while [ $i -lt "$rounds" ] || { [ "$1" = on ] && ! drained && [ $i -lt $((10 * rounds)) ]; }; do
		echo $want >$pool
		got=$((got + $(cat $pool)))
		echo 0 >$pool
		i=$((i + 1))
	done
	echo "gigantic-pages $1 $got of $((want * i))"
}

# all STATE WHAT...
all() {
	state=$1
	shift
	hotdrop /ext4/hot $size 100000 >/dev/null &
	one=$!
	hotdrop /xfs/hot $size 100000 >/dev/null &
	two=$!
	sleep 2
	for what in "$@"; do $what "$state"; done
	kill $one $two
	wait $one $two
}

# Small, so that some of their pages wait at any time: these are asked for only seldom.
[ "$1" != gigantic_pages ] || size=8
all off "$@"
insmod /refless.ko || exit 1
hold /ext4/held 20000 &
holder=$!
sleep 0.2
all on "$@"
grep -E 'drain|pages_deferred' /sys/kernel/debug/refless/summary
echo 1 >/sys/module/refless/parameters/fault_skip_drain
all undrained "$@"
kill $holder
wait
echo 0 >/sys/module/refless/parameters/fault_skip_drain
rmmod refless
