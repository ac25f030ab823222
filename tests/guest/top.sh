#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# scripts/top beside a known load: its blocks are whole and its numbers are right.
cp /bash-static /bin/bash
insmod /refless.ko waiting_limit_mib=1 || exit 1
failed=0
# field LINE N: the Nth word of the line that begins so, of the second block
field() { grep "^$1 " /tmp/blocks | sed -n 2p | awk -v n="$2" '{ gsub(",", ""); print $n }'; }
between() {
	if [ -z "$2" ] || [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
		echo "$1: '$2' is not between $3 and $4"
		failed=1
	fi
}
preadbench /ext4/top 1 16 same 8 >/tmp/rate &
sleep 1
/scripts/top -d 2 -n 2 >/tmp/blocks || failed=1
wait
cat /tmp/blocks
rate=$(cat /tmp/rate)
echo "preadbench read at $rate/s"
between "blocks" "$(grep -c '^refless ' /tmp/blocks)" 2 2
between "lines" "$(wc -l </tmp/blocks)" 15 15
# The load is not steady to the per cent on a shared machine.
between "served" "$(field served 2)" $((rate / 2)) $((rate * 2))
between "bytes, of 16 a read" "$(field served 4 | cut -d. -f1)" $((rate * 8 / 1048576)) $((rate * 32 / 1048576 + 1))

# Folios that are made hot and dropped: flagged, deferred, drained.
hotdrop /ext4/hot 8 8 >/dev/null &
sleep 2
/scripts/top -d 4 -n 2 >/tmp/blocks || failed=1
cat /tmp/blocks
wait
between "flagged" "$(field flagged 2)" 1 10000000
between "deferred" "$(field freed 3)" 1 10000000
between "drains at the limit" "$(sed -n 's/^drains .*limit \([0-9,]*\) .*/\1/p' /tmp/blocks | tr -d , | sort -n | tail -n 1)" 1 1000000

# It ends by itself when the module goes.
/scripts/top -d 1 -n 30 >/dev/null 2>/tmp/said &
sleep 2
rmmod refless
wait $! && { echo "top went on without the module"; failed=1; }
grep -q 'was unloaded' /tmp/said || { cat /tmp/said; failed=1; }
exit $failed
