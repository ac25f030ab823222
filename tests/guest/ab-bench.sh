#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ab-bench.sh ROUNDS SECONDS: reads per second with the module loaded and not, in
# turn. A line a measurement: round, state, file system, threads, files, bytes,
# reads per second.
rounds=$1
seconds=$2

measure() {
	for bytes in 16 4096 65536; do
		for fs in ext4 tmpfs huge; do
			for case in "1 own" "2 same" "2 own"; do
				# shellcheck disable=SC2086 # two arguments
				echo "$round $1 $fs $case $bytes $(preadbench /$fs/bench ${case% *} \
					$bytes ${case#* } "$seconds")"
			done
		done
	done
}

round=1
while [ "$round" -le "$rounds" ]; do
	echo "# round $round of $rounds" >&2
	measure off
	insmod /refless.ko || exit 1
	measure on
	[ "$round" -lt "$rounds" ] || cat /sys/kernel/debug/refless/summary >/tmp/summary
	rmmod refless || exit 1
	[ -e /sys/module/refless ] && exit 1
	round=$((round + 1))
done
sed 's/^/# stat /' /tmp/summary
