#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# mistakes.sh mounted|off: what goes wrong when the module is loaded the wrong way, and
# what is said then. With "off" the kernel has no debugfs.
cp /bash-static /bin/bash
mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
failed=0
# says TEXT COMMAND...: it fails, and it or the kernel's log says so in one line.
says() {
	text=$1
	shift
	dmesg -c >/dev/null
	"$@" >/tmp/said 2>&1 && { echo "'$*' succeeded"; failed=1; }
	dmesg >>/tmp/said
	# Without the time: busybox's insmod tries twice.
	if [ "$(grep -- "$text" /tmp/said | sed 's/^\[[^]]*\] //' | sort -u | wc -l)" -ne 1 ]; then
		echo "'$*' did not say '$text', but:"
		cat /tmp/said
		failed=1
	fi
}
if [ "$1" = off ]; then
	insmod /refless.ko || exit 1
	preadbench --count /ext4/file 16 0 11000 || failed=1
	says 'this kernel has no debugfs: the module works' /scripts/top -n 1
	rmmod refless || failed=1
	exit $failed
fi

says "refless: version magic .*xreempt.* should be" insmod /modules/another-magic.ko
says 'refless: disagrees about version of symbol module_layout' insmod /modules/another-version.ko
says 'refless: Unknown symbol refless_shmem_kex' insmod /modules/another-symbol.ko
says "refless: the kernel's hooks have ABI 1, this module needs 99" insmod /modules/another-abi.ko
says "refless: .7. invalid for parameter .read." insmod /refless.ko read=7
says "refless: .-1. invalid for parameter .waiting_limit_mib." insmod /refless.ko waiting_limit_mib=-1
says "refless: .0. invalid for parameter .waiting_limit_mib." insmod /refless.ko waiting_limit_mib=0
says 'ermission denied\|not permitted' su -s /bin/sh nobody -c '/bin/insmod /refless.ko'
says 'rmmod: .*refless' rmmod refless
says 'the refless module is not loaded: modprobe refless' /scripts/top -n 1
[ ! -e /sys/module/refless ] || { echo "the module is loaded"; failed=1; }

dmesg -c >/dev/null
insmod /refless.ko read_twice=1 || failed=1
dmesg | grep 'unknown parameter' || { echo "nothing said of a parameter that is not there"; failed=1; }
says 'File exists' insmod /refless.ko
umount /sys/kernel/debug
says 'debugfs is not mounted: mount -t debugfs debugfs /sys/kernel/debug' /scripts/top -n 1
mount -t debugfs debugfs /tmp || failed=1
/scripts/top -n 1 -d 0.1 >/dev/null || { echo "top does not find debugfs where it is"; failed=1; }
rmmod refless || failed=1
exit $failed
