#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# truth.sh SECONDS DIRECTORIES [PARAMETER=VALUE...]: the concurrent truth test with
# swap and the module, then what the module counted. With AIM=-a the module's
# windows are aimed at one reader.
seconds=$1
directories=$2
shift 2
echo 512M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
insmod /refless.ko "$@" || exit 1
# shellcheck disable=SC2086 # several directories
truth $AIM "$seconds" $directories
status=$?
cat /sys/kernel/debug/refless/summary
served=$(($(cat /sys/kernel/debug/refless/filemap_reads) + $(cat /sys/kernel/debug/refless/tmpfs_reads)))
deferred=$(cat /sys/kernel/debug/refless/pages_deferred)
rmmod refless || exit 1
if [ $served -eq 0 ] || [ "$deferred" -eq 0 ]; then
	echo "the module served nothing"
	exit 1
fi
exit $status
