#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What a reader of a result has to know about the machine it came from.
echo "# kernel: $(uname -r)"
echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) online"
echo "# hypervisor: QEMU TCG (emulated: compare ratios within this table, not rates with other machines)"
echo "# memory: $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
echo "# command line: $(cat /proc/cmdline)"
echo "# thp: $(cat /sys/kernel/mm/transparent_hugepage/enabled); lru_gen: $(cat /sys/kernel/mm/lru_gen/enabled)"
grep -E '^/dev/vda|^tmpfs /tmpfs|^huge' /proc/mounts | sed 's/^/# mount: /'
