#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# soak.sh SECONDS: the torture test, with the truth test beside it, and KCSAN on if the
# kernel has it; a line a minute.
seconds=$1
kcsan=/sys/kernel/debug/kcsan
[ ! -e $kcsan ] || echo on >$kcsan

progress() {
	for minute in $(seq $((seconds / 60))); do
		sleep 60
		echo "# $minute of $((seconds / 60)) min: $(grep -E '^(pgmigrate_success|thp_split_page) ' \
			/proc/vmstat | tr '\n' ' ')"
	done
}
progress &
progress=$!
truth "$seconds" /ext4 /tmpfs /huge /xfs >/tmp/truth.log 2>&1 &
truth=$!
torture.sh "$seconds" >/tmp/torture.log 2>&1
tortured=$?
wait $truth
true_bytes=$?
kill $progress 2>/dev/null
sed 's/^/truth: /; s/^truth: truth:/truth:/' /tmp/truth.log
grep -vx Terminated /tmp/torture.log
[ ! -e $kcsan ] || { echo off >$kcsan; grep -E '^(setup_watchpoints|data_races)' $kcsan; }
[ $tortured -eq 0 ] && [ $true_bytes -eq 0 ]
