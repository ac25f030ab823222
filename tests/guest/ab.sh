#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ab.sh: scripts/ab against the real module, with the Python of /python.tar.
tar -xf /python.tar -C / || exit 1
export PATH="$PATH:/usr/bin"
ab() { /checkout/scripts/ab --pairs 10 --warmup 1 "$@" || exit 1; }
p=/sys/module/refless/parameters

(ab true) >/tmp/log 2>&1 && { echo "it ran without the module"; exit 1; }
grep 'modprobe refless' /tmp/log || exit 1

insmod /refless.ko waiting_limit_mib=33 || exit 1
echo "## the reads switched"
ab --metric '^([0-9]+)$' preadbench /ext4/ab 2 16 same 0.1
[ "$(cat $p/read)" = Y ] || exit 1
echo "## A/A with reads off"
before=$(cat /sys/kernel/debug/refless/filemap_reads)
ab --aa off --metric '^([0-9]+)$' preadbench /ext4/ab 2 16 same 0.05
served=$(($(cat /sys/kernel/debug/refless/filemap_reads) - before))
echo "$served reads without a reference"
# The shell's own, between the runs.
[ $served -lt 1000 ] || exit 1
echo "## the same output"
ab --check sha256sum /ext4/ab /bin/busybox
echo "## the module loaded anew"
ab --reload --module /refless.ko --raw /tmp/raw --metric '^([0-9]+)$' \
	preadbench /tmpfs/ab 1 16 same 0.05
[ "$(cat $p/read) $(cat $p/waiting_limit_mib)" = "Y 33" ] || exit 1
[ "$(grep -c 'new on' /tmp/raw)" = 10 ] || exit 1
rmmod refless
