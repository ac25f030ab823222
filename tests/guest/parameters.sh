#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Parameters are checked, at load and later, and take effect.
p=/sys/module/refless/parameters
failed=0
expect() {
	if [ "$2" != "$3" ]; then
		echo "$1: expected $3, got $2"
		failed=1
	fi
}
for bad in read=2 stats=2 waiting_limit_mib=0 waiting_limit_mib=-1 waiting_limit_mib=99999999 tmpfs=maybe; do
	insmod /refless.ko $bad 2>/dev/null && { echo "insmod took $bad"; failed=1; rmmod refless; }
done
insmod /refless.ko || exit 1
for bad in read:7 stats:some filemap:x tmpfs: waiting_limit_mib:0 waiting_limit_mib:many waiting_limit_mib:99999999; do
	before=$(cat $p/"${bad%:*}")
	(echo "${bad#*:}" >$p/"${bad%:*}") 2>/dev/null && { echo "$bad was taken"; failed=1; }
	expect "$bad" "$(cat $p/"${bad%:*}")" "$before"
done
echo 33 >$p/waiting_limit_mib
expect limit "$(cat $p/waiting_limit_mib)" 33

# amount COUNT ALL NONE: more than ALL, at most NONE, or the number.
amount() {
	if [ "$1" -gt "$2" ]; then
		echo all
	elif [ "$1" -le "$3" ]; then
		echo none
	else
		echo "$1"
	fi
}
# served FS STAT: of some 11000 hot reads, were all, some or none without a
# reference? The shell's own reads are a few more or less.
served() {
	before=$(cat /sys/kernel/debug/refless/"$2"_reads)
	preadbench --count /"$1"/parameters 16 0 11000
	served=$(($(cat /sys/kernel/debug/refless/"$2"_reads) - before))
	amount $served 10900 0
}
# flagged FS: of some 1000 hot pages of a new file, were all or none flagged?
flagged() {
	before=$(cat /sys/kernel/debug/refless/folios_flagged)
	hotdrop /"$1"/flagged 4 0 >/dev/null
	rm /"$1"/flagged
	flagged=$(($(cat /sys/kernel/debug/refless/folios_flagged) - before))
	amount $flagged 1000 50
}
served ext4 filemap >/dev/null
served tmpfs tmpfs >/dev/null
echo 0 >$p/read
expect "ext4, read=0" "$(served ext4 filemap)" none
expect "tmpfs, read=0" "$(served tmpfs tmpfs)" none
echo 1 >$p/read
echo 0 >$p/filemap
expect "ext4, filemap=0" "$(served ext4 filemap)" none
expect "tmpfs, filemap=0" "$(served tmpfs tmpfs)" all
expect "flagged of ext4, filemap=0" "$(flagged ext4)" none
expect "flagged of tmpfs, filemap=0" "$(flagged tmpfs)" all
echo 1 >$p/filemap
echo 0 >$p/tmpfs
expect "ext4, tmpfs=0" "$(served ext4 filemap)" all
expect "tmpfs, tmpfs=0" "$(served tmpfs tmpfs)" none
expect "flagged of ext4, tmpfs=0" "$(flagged ext4)" all
expect "flagged of tmpfs, tmpfs=0" "$(flagged tmpfs)" none
echo 1 >$p/tmpfs
echo 0 >$p/stats
expect "tmpfs, stats=0" "$(served tmpfs tmpfs)" none
echo 1 >$p/stats
expect "tmpfs, stats=1" "$(served tmpfs tmpfs)" all
# Once the reads are off nothing waits on: the drains are off with them.
hotdrop /ext4/dropped 4 1000 >/dev/null &
dropper=$!
n=0
while [ $n -lt 10 ]; do
	usleep 300000
	echo 0 >$p/read
	expect "pages waiting after read=0" "$(cat /sys/kernel/debug/refless/waiting_pages)" 0
	echo 1 >$p/read
	n=$((n + 1))
done
kill $dropper
expect "pages were deferred" \
	"$(($(cat /sys/kernel/debug/refless/pages_deferred) > 0))" 1
rmmod refless || failed=1
insmod /refless.ko stats=0 || failed=1
expect "tmpfs, loaded with stats=0" "$(served tmpfs tmpfs)" none
rmmod refless || failed=1
[ -e /sys/kernel/debug/refless ] && { echo "debugfs files stayed"; failed=1; }
exit $failed
