#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# poison.sh LABEL DIRECTORIES [PARAMETER=VALUE...]: memory errors on the pages of
# files in DIRECTORIES ("ext4,small huge,large") with the module off and on, in all
# states of a page or, with STATE, in one of the program's. Prints for each
# "LABEL DIRECTORY same" or "differs", and "reused" if a poisoned page came back to
# the allocator with the module on; then what it was that differed.
label=$1
places=$2
shift 2
for place in $places; do
	poison /"${place%,*}" "${place#*,}" ${STATE:+"$STATE"} >/tmp/off.all 2>&1 || { cat /tmp/off.all; exit 1; }
	insmod /refless.ko "$@" || exit 1
	poison /"${place%,*}" "${place#*,}" ${STATE:+"$STATE"} >/tmp/on.all 2>&1 || { cat /tmp/on.all; exit 1; }
	reads=$(($(cat /sys/kernel/debug/refless/filemap_reads) + $(cat /sys/kernel/debug/refless/tmpfs_reads)))
	drains=$(cat /sys/kernel/debug/refless/drained_poison)
	rmmod refless || exit 1
	for state in off on; do
		grep -v fault: /tmp/$state.all >/tmp/$state.log
	done
	verdict=same
	cmp -s /tmp/off.log /tmp/on.log || verdict=differs
	echo "$label $place $verdict: $(grep -c '^==' /tmp/on.log) cases, $reads reads without a reference, $drains pages drained"
	diff -U 2 /tmp/off.log /tmp/on.log | grep -v '^[-+@][-+@]' | head -n 20
	! grep fault: /tmp/on.all || echo "$label $place reused"
	grep fault: /tmp/off.all | sed 's/^/module off: /'
done
