#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# costs.sh ROUNDS: what loads cost that get little from the module, as they never find a
# page again or drop what they made hot: without it and with it, in turn. To be run on
# one CPU whose clock counts instructions. Prints lines of LOAD STATE SECONDS, idle time
# not included.
rounds=$1
memcg=/sys/fs/cgroup/costs

# Seconds that tasks have run, in steps of a nanosecond.
busy() { awk '$1 == "cpu0" { printf "%.6f\n", $8 / 1e9 }' /proc/schedstat; }

# A pass over four times the memory that it may have.
# shellcheck disable=SC2317 # called by way of measure
refault_in_memcg() {
	sh -c 'echo $$ >"$0/cgroup.procs" && exec refault "$@"' $memcg /ext4/refault 64 0 "$1" >/dev/null
}
# Each page hot, all of them dropped at once.
# shellcheck disable=SC2317
drop_hot() { hotdrop /ext4/drop 64 0 | sed 's/.* \([0-9.]*\) ms a drop/\1/' >/tmp/drop; }

# measure STATE LOAD COMMAND...
measure() {
	state=$1
	load=$2
	shift 2
	[ "$state" = off ] || insmod /refless.ko || exit 1
	began=$(busy)
	"$@" || exit 1
	ended=$(busy)
	[ "$state" = off ] || rmmod refless || exit 1
	echo "$load $state $began $ended" | awk '{ printf "%s %s %.4f\n", $1, $2, $4 - $3 }'
}

all() {
	measure "$1" refault-loop refault_in_memcg loop
	measure "$1" refault-random refault_in_memcg random
	measure "$1" hot-and-drop drop_hot
	echo "drop-alone $1 $(awk '{ print $1 / 1000 }' /tmp/drop)"
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
refault /ext4/refault 64 0 loop >/dev/null
drop_hot
echo 1 >/proc/sys/vm/drop_caches
mkdir $memcg
echo 16M >$memcg/memory.max || exit 1
all off >/dev/null
round=0
while [ $round -lt "$rounds" ]; do
	for state in off on on off; do all $state; done
	round=$((round + 1))
done
