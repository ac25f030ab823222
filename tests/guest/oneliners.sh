#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The README's one-liners of trace-cmd and bpftrace, on a Debian system.
insmod /refless/refless.ko || exit 1
failed=0
says() { grep -q "$1" /tmp/out || { cat /tmp/out; echo "no '$1'"; failed=1; }; }

hotdrop /srv/hotdrop 8 60 >/dev/null &
load=$!
cd /tmp || exit 1
trace-cmd record -e refless:refless_flag sleep 2 >/tmp/out 2>&1 && trace-cmd report >/tmp/out 2>&1
says "refless_flag: .*ino=$(stat -c %i /srv/hotdrop) index=[0-9]"
tail -n 1 /tmp/out
timeout -s INT 12 bpftrace -e \
	'tracepoint:refless:refless_batch_freed { @us = hist(args->age_us); }' >/tmp/out 2>&1
says '^@us:'
says '^\[.* |@'
cat /tmp/out
kill $load
rmmod refless || failed=1
exit $failed
