#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# signing.sh any|enforced: which of the three modules does this kernel load? unsigned.ko,
# stranger.ko, whose key it does not know, and own.ko, signed with its own key.
status=0

# The kernel's taint flags 12 and 13: out of tree, and no valid signature.
try() {
	if insmod "/$1.ko" 2>/tmp/said; then
		said="loaded, tainted $(cat /proc/sys/kernel/tainted)"
		result=yes
		rmmod refless
	else
		said=$(sed 's/.*: //' /tmp/said)
		result=no
	fi
	echo "$1.ko: $said"
	[ $result = "$2" ] || { echo "expected: $2"; status=1; }
}

case $1 in
enforced) others=no ;;
*) others=yes ;;
esac
grep -o 'module.sig_enforce=.' /proc/cmdline
try own yes
try unsigned $others
try stranger $others
exit $status
