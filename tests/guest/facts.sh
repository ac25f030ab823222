#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# facts.sh [MOUNT-POINT...]: what a reader of a result has to know about the machine
# it came from, in a guest as on a live machine.
fact() { echo "# $1: $2"; }
content() { cat "$1" 2>/dev/null || echo unknown; }

cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
fact kernel "$(uname -r), built $(uname -v)"
if [ -r /proc/config.gz ]; then
	fact configuration "$(zcat /proc/config.gz | sha256sum | cut -c1-12)"
elif [ -r "/boot/config-$(uname -r)" ]; then
	fact configuration "$(sha256sum <"/boot/config-$(uname -r)" | cut -c1-12)"
fi
fact cpu "$cpu, $(nproc) online"
case $cpu in
*TCG*)
	fact hypervisor "QEMU TCG (emulated: compare ratios within this table, not rates with other machines)"
	;;
*)
	product=$(cat /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name 2>/dev/null | tr '\n' ' ')
	if grep -qw hypervisor /proc/cpuinfo; then
		fact hypervisor "${product:-of unknown kind}"
	else
		fact hypervisor "none; ${product:-unknown machine}"
	fi
	;;
esac
[ ! -r /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor ] ||
	fact governor "$(cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)"
fact memory "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
fact "command line" "$(cat /proc/cmdline)"
# Those that the CPU needs; "not affected" ones cost nothing.
fact mitigations "$(cd /sys/devices/system/cpu/vulnerabilities 2>/dev/null &&
	grep -v 'Not affected' -- * | sed 's/:/ = /' | tr '\n' ';')"
fact thp "$(content /sys/kernel/mm/transparent_hugepage/enabled)"
fact "thp of tmpfs" "$(content /sys/kernel/mm/transparent_hugepage/shmem_enabled)"
fact lru_gen "$(content /sys/kernel/mm/lru_gen/enabled)"
for point in "$@"; do
	# The last of those mounted there is the one that is seen.
	fact mount "$(awk -v point="$point" '$2 == point { line = $0 } END { print line }' /proc/mounts)"
done
