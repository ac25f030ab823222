#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A machine's whole life with refless, on a Debian system in the VM whose own boot
# loader chooses the kernel: packages of kernel and module installed by apt, the
# module built by DKMS and used, off and on compared, all of it purged, and Debian's
# kernel again, with no path left over.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages qemu-utils

image=$("$top/scripts/debian-image")
mapfile -t packages < <("$top/scripts/build-packages" vm)
work=$(mktemp -d "$cache/life.XXXXXX")
trap 'rm -rf "$work"' EXIT
packages+=("$("$top/scripts/build-dkms-package" "$work")")
disk=$work/disk.qcow2
qemu-img create -q -f qcow2 -F raw -b "$image" "$disk"

# boot_for STAGES OPTION...: boot the disk, run stages of life.sh, keep what they did.
boot_for() {
	local stages=$1
	shift
	vm installed "for stage in $stages; do life.sh \$stage || exit; done" --root "$disk" --keep \
		--console "$work/console" "$@" >"$work/log"
}
live() {
	local what=$1
	shift
	check "$what" boot_for "$@"
	show cat "$work/log"
}

files=()
for package in "${packages[@]}"; do
	files+=(--file "$package")
done
live "Debian's kernel: apt installs the patched kernel and the module, DKMS builds for it alone" \
	install_packages --timeout 900 "${files[@]}"
# The packages are of the production kernel, so a module built for that one loads.
aid=$("$top/scripts/build-emulator-aid" "$("$top/scripts/build-kernel" production)")
live "the patched kernel: the module is used, off and on read the same; the kernel is purged" \
	"use_module remove_kernel" --file "$aid"
show "$top/scripts/ab-table" < <(grep -E '^[0-9]+ (off|on) ' "$work/log")
live "Debian's kernel again: DKMS skips it, the module's package leaves no trace" leave
