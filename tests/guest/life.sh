#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# life.sh STAGE: a machine's life with refless, a boot a stage. Each step says what it
# does; the first that fails ends the stage.
set -eu
kept=/var/lib/refless-life
export DEBIAN_FRONTEND=noninteractive

step() { echo "# $(cut -d. -f1 /proc/uptime) s: $*"; }
fault() { echo "FAULT: $*"; exit 1; }

# Every path there is, but for what any package operation writes to.
paths() {
	find / -xdev \( -path /tmp -o -path /run -o -path /var/log -o -path /var/cache \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/tmp -o -path $kept \
		-o -path /root -o -path /var/lib/systemd -o -path /var/backups \) -prune -o -print | sort
}

install_package() {
	apt-get -qy install "$@" >$kept/log 2>&1 || { cat $kept/log; fault "it does not install"; }
	grep -E '^(Building (for|initial)|Skipped|Done|Generating|Found|refless:|update-initramfs)' $kept/log || true
}

hooked_kernel() { basename "$(echo /lib/modules/*-refless-*)"; }
dkms_module() { find "/lib/modules/$(hooked_kernel)/updates" -name 'refless.ko*'; }

# Debian's kernel runs; all that is refless comes in one installation.
install_packages() {
	local hooked
	mkdir -p $kept
	uname -r | grep -q cloud-amd64 || fault "this is not Debian's kernel but $(uname -r)"
	paths >$kept/before
	step "running $(uname -r): apt-get install of the patched kernel"
	install_package /refless/linux-*.deb
	step "apt-get install of the module's package"
	install_package /refless/refless-dkms_*.deb
	hooked=$(hooked_kernel)
	step "dkms status"
	dkms status
	dkms status | grep -q "^refless/.*, $hooked, .*: installed" ||
		fault "DKMS did not build the module for $hooked"
	dkms status | grep -q cloud-amd64 && fault "DKMS built it for Debian's kernel"
	[ -s "/boot/initrd.img-$hooked" ] || fault "no initrd for $hooked"
	step "the boot menu: $(grep -m 1 -o 'vmlinuz-[^ ]*' /boot/grub/grub.cfg) first"
	step "dkms autoinstall for Debian's kernel, as its upgrade does it"
	/etc/kernel/postinst.d/dkms "$(uname -r)" 2>&1 | tee $kept/log
	grep -q 'nothing to build for it' $kept/log || fault "it does not say that it skips"
	modprobe refless 2>$kept/log && fault "the module loaded on Debian's kernel"
	step "modprobe refless: $(cat $kept/log)"
}

# Small reads of files that are there, by programs that are there.
workload() {
	sha256sum /usr/bin/python3.11 /boot/vmlinuz-*
	find /srv/tree -name '*.py' | sort | head -n 100 | xargs md5sum
	sqlite3 -cmd 'PRAGMA cache_size=10' $kept/db \
		'SELECT sum(i), count(*), max(v) FROM t; PRAGMA integrity_check'
	git -C /srv/tree grep -c import -- asyncio | sha256sum
}

measure() {
	echo "$round $1 ext4 2 same 16 $(preadbench $kept/bench 2 16 same 0.5)" >>$kept/raw
	workload >"$kept/result.$1.$round" 2>&1
}

compare_on_and_off() {
	local round served
	sqlite3 $kept/db 'CREATE TABLE t (i INTEGER PRIMARY KEY, v TEXT); WITH RECURSIVE
		n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO t SELECT i, hex(i * 7919) FROM n'
	for round in 1 2 3; do
		measure off
		modprobe refless
		measure on
		served=$(cat /sys/kernel/debug/refless/filemap_reads)
		modprobe -r refless
		[ "$served" -gt 1000 ] || fault "the module served only $served reads"
		cmp "$kept/result.off.$round" "$kept/result.on.$round" || fault "results differ"
		cmp "$kept/result.off.$round" $kept/result.off.1 || fault "results change"
	done
	step "3 pairs of off and on with the same $(wc -l <$kept/result.on.1) lines of result;" \
		"$served reads served in the last"
	cat $kept/raw
}

use_module() {
	local version
	uname -r | grep -q refless || fault "the boot menu's first is $(uname -r)"
	step "running $(uname -r)"
	insmod /refless/rerun_breakpoint.ko
	version=$(modinfo -F version refless)
	modinfo refless | grep -E '^(filename|version|signer|sig_)'
	compare_on_and_off
	step "dkms uninstall, and autoinstall as an upgrade of this kernel does it"
	dkms uninstall "refless/$version" -k "$(uname -r)" >/dev/null
	[ -z "$(dkms_module)" ] || fault "dkms uninstall left $(dkms_module)"
	modprobe refless 2>/dev/null && fault "modprobe found a module that is uninstalled"
	/etc/kernel/postinst.d/dkms "$(uname -r)"
	modprobe refless || fault "dkms autoinstall did not install it for a kernel with the hooks"
	echo 0 >/sys/module/refless/parameters/read
}

remove_kernel() {
	step "apt-get purge of the patched kernel's packages"
	# shellcheck disable=SC2046 # several names
	apt-get -qy purge $(dpkg-query -W -f '${Package}\n' 'linux-*-refless-*') >$kept/log 2>&1 ||
		{ cat $kept/log; fault "the packages do not go"; }
	step "the boot menu: $(grep -m 1 -o 'vmlinuz-[^ ]*' /boot/grub/grub.cfg) first"
}

leave() {
	uname -r | grep -q cloud-amd64 || fault "this is not Debian's kernel but $(uname -r)"
	step "running $(uname -r); dkms autoinstall"
	dkms autoinstall || fault "dkms autoinstall fails on a kernel without the hooks"
	step "apt-get purge refless-dkms"
	apt-get -qy purge refless-dkms >$kept/log 2>&1 || { cat $kept/log; fault "it does not go"; }
	dkms status | grep refless && fault "DKMS still knows it"
	paths >$kept/after
	# What DKMS made for itself stays with DKMS.
	diff $kept/before $kept/after | grep '^[<>]' | grep -v ' /var/lib/dkms/mok\.' |
		tee $kept/log || true
	[ ! -s $kept/log ] || fault "these paths came or went"
	step "no path came or went since before the installation"
}

"$1"
