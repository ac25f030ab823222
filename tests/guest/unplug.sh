#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# unplug.sh: asks for a memory module to be taken out, by a line "unplug NAME", while
# hot file data comes and goes; with the module off and on.
# What the host gave each module, in KiB.
size=262144

memory() {
	sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo
}

take_out() {
	hotdrop /ext4/hot 60 100000 >/dev/null &
	one=$!
	hotdrop /xfs/hot 60 100000 >/dev/null &
	two=$!
	sleep 5
	before=$(memory)
	echo "unplug $1"
	i=0
	while [ $((before - $(memory))) -lt $size ] && [ $i -lt 600 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	kill $one $two
	wait $one $two
	gone=$(((before - $(memory)) / 1024))
	echo "module $2: $gone MiB of $before kB were taken out"
	[ $gone -ge $((size / 1024)) ]
}

take_out dimm1 off || exit 1
insmod /refless.ko || exit 1
take_out dimm2 on || exit 1
deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
drains=$(cat /sys/kernel/debug/refless/drains_isolation)
grep -E 'drain|pages_deferred' /sys/kernel/debug/refless/summary
rmmod refless || exit 1
[ "$drains" -gt 0 ] && [ "$deferred" -gt 0 ]
