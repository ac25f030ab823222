#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# torture.sh SECONDS [PARAMETER=VALUE...]: the torture module reads and checks while
# memory is compacted, split, taken offline and pressed for, pages are drained, and
# refless, with these parameters, is loaded again and again. Without any, each load
# stretches one of the windows of the aimed reader. The last line says SUCCESS or FAILURE.
seconds=$1
shift
parameters="$*"
p=/sys/module/refless/parameters
stats=/sys/kernel/debug/refless
memory=/sys/devices/system/memory
reloads=0

# rnd N: sets r to one of 0 to N-1. A subshell would draw the same number each time.
# shellcheck disable=SC3028 # busybox has RANDOM
rnd() { r=$((RANDOM % $1)); }
load() {
	rnd 2
	window=fault_copy_window_us=20000
	[ $r -eq 0 ] || window=fault_lookup_window_us=20000
	# shellcheck disable=SC2086 # several parameters
	insmod /refless.ko fault_window_pid="$aimed" ${parameters:-$window} "$@"
}

# add STAT: to the sum over all loads, in a variable of its name
add() { eval "$1=\$((\${$1:-0} + $(cat $stats/"$1")))"; }
add_stats() {
	for stat in filemap_reads tmpfs_reads pages_deferred folios_flagged drains_reclaim \
		drains_isolation drains_limit; do
		add $stat
	done
}

unload() {
	add_stats
	rmmod refless || echo "refless cannot be unloaded"
}

# Rarely, and the torture's readers only.
inject_failures() {
	for what in failslab fail_page_alloc fail_usercopy; do
		cd /sys/kernel/debug/$what 2>/dev/null || continue
		echo Y >task-filter
		echo 1 >probability
		echo 20 >interval
		echo -1 >./times
		echo 0 >verbose
		[ ! -e ignore-gfp-wait ] || echo N >ignore-gfp-wait
		[ ! -e min-order ] || echo 0 >min-order
	done
	cd /tmp || exit 1
}

move_a_block() {
	blocks=$(grep -l Movable $memory/memory*/valid_zones)
	# shellcheck disable=SC2086 # a list
	set -- $blocks
	rnd $#
	shift $r
	block=${1%/valid_zones}
	timeout 10 sh -c "echo offline >$block/state" 2>/dev/null || return 1
	offline=$((${offline:-0} + 1))
	echo online_movable >"$block/state"
}

# Time to get hot.
pause() {
	rnd 10
	usleep $((500000 + r * 100000))
}

flip_parameters() {
	for name in read filemap tmpfs; do
		rnd 2
		echo $r >$p/$name
	done
	rnd 4
	echo $((1 + r)) >$p/waiting_limit_mib
	usleep 100000
	for name in read filemap tmpfs; do echo 1 >$p/$name; done
}

# More pages are freed at once than may wait.
pass_the_limit() {
	echo 1 >$p/waiting_limit_mib
	hotdrop /ext4/dropped 4 0 >/dev/null
}

# disturb_memory KIND
disturb_memory() {
	case $1 in
	0)
		# Others' references may be in the way of any one of them.
		until move_a_block || ! kill -0 $torture 2>/dev/null; do usleep 100000; done
		;;
	1) echo 1 >/proc/sys/vm/compact_memory ;;
	2) echo 1 >/sys/kernel/debug/split_huge_pages ;;
	3) echo 1 >/proc/sys/vm/drop_caches ;;
	4)
		rnd 400
		timeout 5 hog $((100 + r)) 1 >/dev/null
		;;
	esac
}

# disturb_refless KIND
disturb_refless() {
	case $1 in
	0)
		unload
		reloads=$((reloads + 1))
		rnd 32
		load waiting_limit_mib=$((1 + r))
		;;
	1) flip_parameters ;;
	2) pass_the_limit ;;
	esac
}

# disturb WHAT KINDS: each kind once, then as it comes.
disturb() {
	kind=0
	while kill -0 $torture 2>/dev/null; do
		rnd "$2"
		[ $kind -ge "$2" ] || r=$kind
		"$1" $r
		kind=$((kind + 1))
		pause
	done
}

# Ahead of the torture's threads, which are many and always busy.
renice -n -20 -p $$ >/dev/null
echo 512M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
inject_failures
insmod /refless_torture.ko duration="$seconds" inject=1 directories=/tmpfs,/ext4,/huge,/xfs &
torture=$!
aimed=0
while [ "$aimed" -eq 0 ]; do
	usleep 10000
	kill -0 $torture || exit 1
	aimed=$(cat /sys/module/refless_torture/parameters/aimed_pid 2>/dev/null || echo 0)
done
load || exit 1
{
	disturb disturb_memory 5
	echo "${offline:-0}" >/tmp/offline
} &
disturb disturb_refless 3
wait
read -r offline </tmp/offline
rmmod refless_torture
unload

dmesg | sed -n 's/.*\(torture: .*\)/\1/p' >/tmp/log
grep -v -E 'torture: (SUCCESS|FAILURE)' /tmp/log
# shellcheck disable=SC2154 # set by add
reads=$((filemap_reads + tmpfs_reads))
# shellcheck disable=SC2154
drains=$((drains_reclaim + drains_isolation + drains_limit))
event() { sed -n "s/^$1 //p" /proc/vmstat; }
migrations=$(event pgmigrate_success)
splits=$(event thp_split_page)
failed=0
# shellcheck disable=SC2154
for number in "reads without a reference|$reads" "folios flagged|$folios_flagged" \
	"pages deferred|$pages_deferred" "drains|$drains" "migrations|$migrations" \
	"splits|$splits" "blocks offline|$offline" "reloads|$reloads"; do
	echo "${number%|*}: ${number#*|}"
	[ "${number#*|}" -gt 0 ] || { echo "nothing was done of that"; failed=1; }
done
if [ $failed -eq 0 ] && grep -q 'torture: SUCCESS' /tmp/log; then
	echo "torture: SUCCESS"
else
	echo "torture: FAILURE"
	exit 1
fi
