#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# bench.sh full|quick ROUNDS SECONDS GROUP...: what scripts/bench runs in the guest.
#
# Each row is measured in each arm before the next row, the arms in another order
# from row to row and from round to round. A line a figure:
#   round arm group row unit figure served fell-back grace-periods expedited peak oom-kills
# where a row is file system/threads/files/bytes. Arms: stock (this kernel has no
# hooks), absent (the module is not loaded), off and again (loaded, read=0: one is
# the control of the other), on.
size=$1
rounds=$2
seconds=$3
shift 3
cpus=$(nproc)
counts=1
ways=1/own
if [ "$cpus" -gt 1 ]; then
	counts="1 $cpus"
	ways="1/own $cpus/own $cpus/same"
fi

die() {
	echo "bench.sh: $*" >&2
	exit 1
}

if [ -e /refless.ko ]; then
	arms="absent off on again"
	reversed="again on off absent"
else
	arms=stock
	reversed=stock
fi

# What the module and the kernel counted since begin_arm.
begin_arm() {
	case $1 in
	off | again) insmod /refless.ko read=0 || die "insmod" ;;
	on) insmod /refless.ko || die "insmod" ;;
	esac
	kills=$(sed -n 's/^oom_kill //p' /proc/vmstat)
}

end_arm() {
	if [ -e /sys/module/refless ]; then
		counts=$(awk '/^(filemap|tmpfs)_reads/ { served += $2 }
			/^fallback_/ { fell += $2 }
			/^grace_periods/ { grace = $2 }
			/^expedited/ { expedited = $2 }
			/^total/ { peak = $5 }
			END { print served + 0, fell + 0, grace, expedited, peak }' \
			/sys/kernel/debug/refless/summary)
		rmmod refless || die "rmmod"
	else
		counts="0 0 0 0 0"
	fi
	counts="$counts $(($(sed -n 's/^oom_kill //p' /proc/vmstat) - kills))"
}

# turned N WORD...: the words, beginning with another one for each N.
turned() {
	skip=$(($1 % ($# - 1)))
	shift
	while [ $skip -gt 0 ]; do
		first=$1
		shift
		set -- "$@" "$first"
		skip=$((skip - 1))
	done
	echo "$@"
}

# row GROUP ROW COMMAND...: the command prints "UNIT FIGURE" lines.
turn=0
row() {
	group=$1
	name=$2
	shift 2
	turn=$((turn + 1))
	# Not always the same one before the same other.
	order=$arms
	[ $((round % 2)) -eq 0 ] || order=$reversed
	# shellcheck disable=SC2086 # words
	for arm in $(turned $((turn + round)) $order); do
		begin_arm "$arm"
		"$@" >/tmp/figures || die "$group $name: $*"
		end_arm
		while read -r unit figure; do
			[ -n "$figure" ] || die "$group $name: no figure"
			echo "$round $arm $group $name $unit $figure $counts"
		done </tmp/figures
	done
}

reads() { echo "reads/s $(preadbench "$@")"; }
rate() { echo "MiB/s $(preadbench "$@" | awk -v bytes="$3" '{ printf "%.6g", $1 * bytes / 1048576 }')"; }

# Where the rows' files are; a block device is a loop device on a file of tmpfs.
path() {
	case $1 in
	block) echo /tmp/block/bench ;;
	*) echo "/$1/bench" ;;
	esac
}

make_block_devices() {
	mkdir -p /tmp/block
	i=0
	for name in bench $(seq 0 $((cpus - 1)) | sed 's/^/bench./'); do
		truncate -s 4M /tmpfs/device$i
		losetup /dev/loop$i /tmpfs/device$i || die "losetup"
		ln -sf /dev/loop$i /tmp/block/"$name"
		i=$((i + 1))
	done
}

# offset0 GROUP FILE-SYSTEM BYTES: one thread, all CPUs on a file each, and on the same.
offset0() {
	for case in $ways; do
		row "$1" "$2/$case/$3" reads "$(path "$2")" "${case%/*}" "$3" "${case#*/}" "$seconds"
	done
}

small() {
	for fs in ext4 tmpfs xfs block; do
		offset0 small $fs 16
	done
}

large() {
	for fs in huge xfs; do
		offset0 large $fs 65536
	done
}

sizes() {
	for fs in ext4 tmpfs huge xfs block; do
		for bytes in 16 256 1024 4096 16384 65536 1048576; do
			row sizes "$fs/1/own/$bytes" reads "$(path $fs)" 1 $bytes own "$seconds"
		done
	done
}

# walk GROUP FILE-SYSTEM THREADS FILES BYTES FILE-BYTES
walk() {
	# A name for each size: preadbench does not shrink files.
	row "$1" "$2/$3/$4/$5/$6" rate "$(path "$2")-$6" "$3" "$5" "$4" "$seconds" "$6"
}

sequential() {
	for fs in ext4 xfs huge; do
		for threads in $counts; do
			walk sequential $fs "$threads" same 65536 268435456
		done
		rm -f /$fs/bench-268435456*
	done
}

blocks() {
	for files in same own; do
		for bytes in 1 32 256 1024 4096; do
			walk blocks ext4 "$cpus" $files $bytes 4096
		done
		for bytes in 1 32 256 1024 4096 32768; do
			walk blocks ext4 "$cpus" $files $bytes 1048576
		done
	done
}

# drop_hot FILE MIB SECONDS
drop_hot() {
	hotdrop "$@" | awk '{
		for (i = 2; i <= NF; i++)
			if ($i ~ /^MiB\/s/) print "MiB/s", $(i - 1)
			else if ($i == "ms") print "ms/drop", $(i - 1)
	}'
}

drop_hot_beside_hog() {
	free_mib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024))
	hog $((free_mib - 90)) 1000 >/dev/null &
	hog=$!
	# The hog has its memory before the measurement begins.
	sleep 1
	drop_hot "$@"
	kill $hog 2>/dev/null || echo "the hog was killed" >&2
	wait $hog 2>/dev/null || :
}

# One group for all runs: what a run leaves in memory stays charged to it.
memcg=/sys/fs/cgroup/bench
in_memcg() {
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' $memcg "$@" | sed 's/^/MiB\/s /'
}

make_memcg() {
	mkdir $memcg
	echo "$1M" >$memcg/memory.max || die "no memory cgroup"
}

costs() {
	if [ "$size" = quick ]; then
		drop_mib=64
		refault_mib=32
	else
		drop_mib=1024
		refault_mib=128
	fi
	row costs "ext4/1/own/drop-$drop_mib-MiB" drop_hot /ext4/bench-drop $drop_mib "$seconds"
	rm /ext4/bench-drop
	if [ "$size" = full ]; then
		row costs ext4/1/own/drop-64-MiB-beside-hog drop_hot_beside_hog /ext4/bench-hog 64 2
		rm /ext4/bench-hog
	fi
	# What the file's making left in memory would not be charged to the group.
	refault /ext4/bench-refault $refault_mib 0 loop >/dev/null
	echo 1 >/proc/sys/vm/drop_caches
	make_memcg $((refault_mib / 2))
	for how in loop random; do
		row costs "ext4/1/own/refault-$how" in_memcg \
			refault /ext4/bench-refault $refault_mib "$seconds" $how
	done
	rmdir $memcg
	rm /ext4/bench-refault
}

[ "$size" = full ] || [ "$size" = quick ] || die "full or quick, not '$size'"
echo "# pages in the first folio of a file of 64 KiB: $(for fs in ext4 tmpfs huge xfs; do
	echo "$fs $(foliosize /$fs/bench)"; done | tr '\n' ',')"
if [ -e /refless.ko ]; then
	insmod /refless.ko || die "insmod"
	echo "# module parameters: $(cd /sys/module/refless/parameters && grep -H . -- * | tr ':\n' '= ')"
	rmmod refless
fi
make_block_devices
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
round=1
while [ "$round" -le "$rounds" ]; do
	for group in "$@"; do
		echo "# progress: round $round of $rounds, $group"
		$group
	done
	round=$((round + 1))
done
