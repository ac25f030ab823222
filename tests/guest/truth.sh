#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# truth.sh SECONDS [PARAMETER=VALUE...]: the concurrent truth test with swap and
# the module, then what the module counted.
seconds=$1
shift
echo 512M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
insmod /refless.ko "$@" || exit 1
truth "$seconds" /ext4 /tmpfs /huge /xfs
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
