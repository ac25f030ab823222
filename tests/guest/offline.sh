#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# offline.sh ROUNDS: takes each movable memory block offline and online again
# while hot file data comes and goes, with the module off and on.
rounds=$1
sys=/sys/devices/system/memory

movable_blocks() {
	for block in "$sys"/memory*; do
		grep -q Movable "$block/valid_zones" && echo "$block"
	done
}

# Prints how many of its attempts succeeded.
offline_all() {
	hotdrop /ext4/hot 100 100000 >/dev/null &
	one=$!
	hotdrop /xfs/hot 100 100000 >/dev/null &
	two=$!
	sleep 1
	tried=0
	done=0
	i=0
	while [ $i -lt "$rounds" ]; do
		for block in $(movable_blocks); do
			tried=$((tried + 1))
			# A block that cannot be emptied is tried for ever: half a minute will do.
			if timeout 30 sh -c "echo offline >$block/state" 2>/dev/null; then
				done=$((done + 1))
				echo online_movable >"$block/state"
			fi
		done
		i=$((i + 1))
	done
	kill $one $two
	wait
}

offline_all
off="$done of $tried"
missed_off=$((tried - done))
insmod /refless.ko || exit 1
offline_all
missed_on=$((tried - done))
drains=$(cat /sys/kernel/debug/refless/drains_isolation)
drained=$(cat /sys/kernel/debug/refless/drained_isolation)
rmmod refless || exit 1
echo "offline: $off with the module off, $done of $tried on; $drains drains freed $drained pages"
[ $tried -gt 0 ] && [ $missed_on -le $missed_off ] && [ "$drains" -gt 0 ]
