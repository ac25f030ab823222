#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# kcsan.sh SECONDS [PARAMETER=VALUE...]: the truth test with KCSAN on, then for as long
# what races most; the host looks at the console for races of refless.
seconds=$1
shift
echo on >/sys/kernel/debug/kcsan || exit 1
truth.sh "$seconds" "/ext4 /tmpfs /huge /xfs" "$@" || exit 1
insmod /refless.ko "$@" || exit 1
for directory in /ext4 /tmpfs /huge /xfs; do
	races $((seconds / 4)) $directory || exit 1
done
grep -E '^(filemap_reads|tmpfs_reads|pages_deferred)' /sys/kernel/debug/refless/summary
rmmod refless || exit 1
echo off >/sys/kernel/debug/kcsan
grep -E '^(setup_watchpoints|data_races)' /sys/kernel/debug/kcsan
