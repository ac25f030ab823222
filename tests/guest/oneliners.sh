#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The README's one-liners of trace-cmd and bpftrace, on a Debian system.
insmod /refless/refless.ko || exit 1
failed=0

# says TEXT COMMAND SECONDS: a busy machine may take most of that to start; then longer.
says() {
	for seconds in "$3" $(($3 * 3)) $(($3 * 9)); do
		"$2" "$seconds" >/tmp/out 2>&1
		grep -q "$1" /tmp/out && return
	done
	tail -n 20 /tmp/out
	echo "no '$1'"
	failed=1
}
# shellcheck disable=SC2317 # both by way of says
flagged() { trace-cmd record -e refless:refless_flag sleep "$1" && trace-cmd report; }
# shellcheck disable=SC2317
ages() {
	timeout -s INT "$1" bpftrace -e \
		'tracepoint:refless:refless_batch_freed { @us = hist(args->age_us); }'
}

hotdrop /srv/hotdrop 8 100000 >/dev/null &
load=$!
until [ -s /srv/hotdrop ]; do sleep 0.1; done
cd /tmp || exit 1
says "refless_flag: .*ino=$(stat -c %i /srv/hotdrop) index=[0-9]" flagged 2
tail -n 1 /tmp/out
says '^\[.* |@' ages 12
grep '^@us:' /tmp/out || failed=1
cat /tmp/out
kill $load
rmmod refless || failed=1
exit $failed
