#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# matrix.sh SECONDS PREEMPT LRU_GEN THP NODES HOTPLUG: the truth test with MGLRU on
# (7) or off (0), and with CPUs coming and going (yes) or not (no). The others are
# what the kernel was booted with, and have to be so.
seconds=$1
hotplug=$6
cpus=/sys/devices/system/cpu
moves=/tmp/moves
echo "$3" >/sys/kernel/mm/lru_gen/enabled

# is WHAT WANTED FOUND
is() {
	echo "$1 $3"
	[ "$2" = "$3" ] || { echo "$1 should be $2"; exit 1; }
}
chosen() { sed 's/.*[[(]\(.*\)[])].*/\1/' "$1"; }
is preempt "$2" "$(chosen /sys/kernel/debug/sched/preempt)"
is lru_gen "0x000$3" "$(cat /sys/kernel/mm/lru_gen/enabled)"
is thp "$4" "$(chosen /sys/kernel/mm/transparent_hugepage/enabled)"
is nodes "$5" "$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)"
dmesg | grep -o 'mem auto-init.*'
grep -o 'page_poison=1' /proc/cmdline

# Each CPU but the first goes and comes; frees that wait on it must not get lost.
move_cpus() {
	n=0
	while [ ! -e /tmp/enough ]; do
		for online in "$cpus"/cpu[1-9]*/online; do
			echo 0 >"$online" && n=$((n + 1))
			usleep 200000
			echo 1 >"$online"
			echo $n >$moves
		done
	done
}
echo 0 >$moves
[ "$hotplug" = no ] || move_cpus &
truth.sh "$seconds" "/ext4 /tmpfs /huge /xfs"
status=$?
touch /tmp/enough
wait
echo "CPUs taken offline: $(cat $moves) times"
[ "$hotplug" = no ] || [ "$(cat $moves)" -gt 0 ] || status=1
exit $status
