#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each tracepoint comes, and their pages add up to what the statistics counted.
insmod /refless.ko waiting_limit_mib=1 || exit 1
tracing=/sys/kernel/debug/tracing
stats=/sys/kernel/debug/refless
failed=0
echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/events/refless/enable
hotdrop /ext4/hot 8 2
# Small batches, below the limit: their grace periods end by themselves.
hotdrop /ext4/few 1 1
sleep 1
while [ "$(cat $stats/waiting_pages)" -gt 0 ]; do
	sleep 0.1
done
sleep 0.2
echo 0 >$tracing/events/refless/enable
# Before the trace is read, which makes folios hot as well.
cat $stats/summary >/tmp/counted
cat $tracing/trace >/tmp/trace

for event in refless_flag refless_batch_queued refless_batch_freed refless_expedited refless_drain; do
	grep "$event:" /tmp/trace | tail -n 1
	grep -q "$event:" /tmp/trace || { echo "no $event"; failed=1; }
done
events() { grep -c "$1:" /tmp/trace; }
pages() { sed -n "s/.* $1: .*pages=\([0-9]*\).*/\1/p" /tmp/trace | awk '{ n += $1 } END { print n + 0 }'; }
# same WHAT TRACED STATISTIC
same() {
	counted=$(awk -v name="$3" '$1 == name { print $2 }' /tmp/counted)
	echo "$1: $2 traced, $counted counted"
	[ "$2" -eq "$counted" ] || failed=1
}
same "folios flagged" "$(events refless_flag)" folios_flagged
same "pages freed" $(($(pages refless_batch_freed) + $(pages refless_expedited))) pages_deferred
same "grace periods" "$(events refless_batch_queued)" grace_periods
same "... and ended" "$(events refless_batch_freed)" grace_periods
same "expedited" "$(events refless_expedited)" expedited
same "drains at the limit" "$(grep -c 'cause=limit' /tmp/trace)" drains_limit
# A file that the trace names is the one that was read.
inode=$(stat -c %i /ext4/hot)
grep -q "refless_flag:.* ino=$inode " /tmp/trace || { echo "no flag in inode $inode"; failed=1; }
slow=$(sed -n 's/.*age_us=\([0-9]*\).*/\1/p' /tmp/trace | sort -n | tail -n 1)
echo "the oldest page of a batch waited for $slow us"
[ "$slow" -gt 0 ] && [ "$slow" -lt 60000000 ] || failed=1
rmmod refless || failed=1
exit $failed
