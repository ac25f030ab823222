#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check-kernel of the running kernel: what it says of the module and of a lockdown,
# and whether what it says is so.
cp /bash-static /bin/bash
mount -t securityfs securityfs /sys/kernel/security
failed=0
# says STATUS TEXT
says() {
	/scripts/check-kernel >/tmp/said 2>&1
	status=$?
	if [ $status -ne "$1" ] || ! grep -q "$2" /tmp/said; then
		echo "expected status $1 and '$2', got status $status and:"
		cat /tmp/said
		failed=1
	fi
}
says 2 'no configuration of the running kernel'
mkdir -p /boot
cp /.config "/boot/config-$(uname -r)"
says 0 '^module .*not installed yet'
insmod /refless.ko || failed=1
says 0 '^module .*loaded, version'
cat /tmp/said
rmmod refless
echo integrity >/sys/kernel/security/lockdown || failed=1
says 1 '^signature .*no signed module is installed'
insmod /refless.ko 2>/dev/null && { echo "a module without a signature was loaded"; failed=1; }
echo 1 >/proc/sys/kernel/modules_disabled
says 1 '^sysctl .*kernel.modules_disabled is 1'
exit $failed
