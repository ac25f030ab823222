#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# With MGLRU on and off: hot reads are served, by many descriptors or by one; a
# hot file that is truncated is deferred; one that is removed is freed at once.
stats=/sys/kernel/debug/refless
insmod /refless.ko || exit 1
failed=0
at_least() {
	if [ "$2" -lt "$3" ]; then
		echo "$1: $2, expected at least $3"
		failed=1
	fi
}
# counted STAT COMMAND...: by how much the command changes the statistic
counted() {
	stat=$1
	before=$(cat $stats/"$stat")
	shift
	"$@" >/dev/null
	echo $(($(cat $stats/"$stat") - before))
}
# Each read has a descriptor of its own, as in shell scripts and short-lived tools.
# shellcheck disable=SC2317 # called by way of counted
many_opens() {
	n=0
	while [ "$n" -lt 40 ]; do
		head -c 16 "$1" >/dev/null
		n=$((n + 1))
	done
}
for lru_gen in 7 0; do
	echo $lru_gen >/sys/kernel/mm/lru_gen/enabled
	for fs in ext4 xfs tmpfs huge; do
		stat=filemap_reads
		case $fs in tmpfs | huge) stat=tmpfs_reads ;; esac
		dd if=/dev/zero of=/$fs/opens bs=64k count=1 2>/dev/null
		sync
		opens=$(counted $stat many_opens /$fs/opens)
		at_least "lru_gen $lru_gen, $fs: reads by many descriptors" "$opens" 20
		one=$(counted $stat preadbench --count /$fs/one 16 0 11000)
		at_least "lru_gen $lru_gen, $fs: reads by one descriptor" "$one" 11000
		middle=$(counted $stat preadbench --count /$fs/one 16 5000 11000)
		at_least "lru_gen $lru_gen, $fs: reads of a page's middle" "$middle" 11000
		truncated=$(counted pages_deferred truncate -s 0 /$fs/one)
		at_least "lru_gen $lru_gen, $fs: deferred when truncated" "$truncated" 1
		# A grace period has to pass between a flag and such a free.
		sleep 1
		removed=$(counted pages_deferred rm /$fs/opens)
		at_least "lru_gen $lru_gen, $fs: freed at once when removed" "$((-removed))" 0
		echo "lru_gen $lru_gen, $fs: $opens of 40 opens, $one and $middle of 11064 reads served; $truncated pages deferred when truncated, $removed when removed"
	done
done
rmmod refless
exit $failed
