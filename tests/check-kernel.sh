#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/check-kernel says of trees and of running kernels what is so, and why the
# module would not load.
# shellcheck disable=SC2154 # top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages bash-static patch

hooked=$("$top/scripts/build-kernel" production)
plain=$("$top/scripts/build-kernel" stock-objects mm/filemap.o)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# says STATUS TEXT TREE: it exits so, and has a line that matches.
says() {
	local status=$1 text=$2 rc=0 output
	shift 2
	output=$("$top/scripts/check-kernel" "$@" 2>&1) || rc=$?
	echo "$output"
	[ $rc -eq "$status" ] && grep -q -- "$text" <<<"$output"
}
# headers NAME: like a headers package of the production kernel, to be spoilt.
headers() {
	local dir=$work/$1
	mkdir -p "$dir"/include/{linux,generated,config}
	cp "$hooked"/{Makefile,.config,Module.symvers} "$dir/"
	cp "$hooked/include/linux/refless.h" "$dir/include/linux/"
	cp "$hooked/include/generated/bounds.h" "$dir/include/generated/"
	cp "$hooked/include/config/kernel.release" "$dir/include/config/"
	echo "$dir"
}
# spoilt NAME FILE SED-SCRIPT STATUS TEXT
spoilt() {
	local dir
	dir=$(headers "$1")
	sed -i "$3" "$dir/$2"
	says "$4" "$5" "$dir"
}

check "a kernel with the hooks: it would load" says 0 '^answer: the module would load' "$hooked"
show "$top/scripts/check-kernel" "$hooked"
check "its headers alone tell as much" spoilt good .config '' 0 '^answer: the module would load'
check "source without the hooks: it would not, and the patch applies" \
	says 1 '^hooks.patch .* applies to this source cleanly' "$plain"
untouched() { ! grep -q refless "$plain/mm/filemap.c"; }
check "... and was not applied" untouched

mkdir -p "$work/changed/mm" "$work/changed/include"
cp "$plain/Makefile" "$work/changed/"
sed 's/ra->prev_pos = last_pos;/ra->prev_pos = 0;/' "$plain/mm/filemap.c" >"$work/changed/mm/filemap.c"
check "source that the patch does not fit" says 1 'does not apply to this source' "$work/changed"
check "... which is not configured either" says 1 'the tree has no .config' "$work/changed"
check "the symbol is off" spoilt off .config 's/^CONFIG_REFLESS_HOOKS=y/# & is not set/' \
	1 'in the source, but CONFIG_REFLESS_HOOKS is off'
check "hooks of another ABI" spoilt abi include/linux/refless.h \
	's/^#define REFLESS_HOOK_ABI.*/#define REFLESS_HOOK_ABI 7/' 1 '^hook ABI .*7; this module needs 1'
check "headers of a build before the hooks" spoilt symbols Module.symvers /refless/d \
	1 'Module.symvers has no refless_hook_abi'
check "no page flag to be had" spoilt flags include/generated/bounds.h \
	's/^#define NR_PAGEFLAGS.*/#define NR_PAGEFLAGS 50/' 1 'no room: with one more flag'
check "the last page flag costs NUMA balancing's field" spoilt numa include/generated/bounds.h \
	's/^#define NR_PAGEFLAGS.*/#define NR_PAGEFLAGS 28/' 0 'struct page grows'
check "the last page flag costs a tier bit" spoilt tiers include/generated/bounds.h \
	's/^#define NR_PAGEFLAGS.*/#define NR_PAGEFLAGS 26/' 0 "one of MGLRU's tier bits"
check "signatures enforced: says to sign" spoilt signed .config \
	's/.*CONFIG_MODULE_SIG_FORCE.*/CONFIG_MODULE_SIG_FORCE=y/' 0 'required (CONFIG_MODULE_SIG_FORCE)'
check "32-bit" spoilt bits .config '/^CONFIG_64BIT=/d' 1 '^64-bit .*no'
check "a directory that is no tree: cannot be told" says 2 'is not a kernel' "$work"
check "no directory: cannot be told" says 2 'there is no directory' "$work/none"
check "two trees: usage" says 2 'check-kernel \[TREE' "$hooked" "$plain"

# The running kernel: one with the hooks, with and without the module, locked down.
running=$work/running.log
running() {
	vm "$hooked" check-kernel.sh --module "$module" --file /bin/bash-static --file "$top/scripts" \
		--file "$top/module" --file "$top/hooks.patch" --file "$hooked/.config" | tee "$running"
}
module=$("$top/scripts/build-module" production)
check "the running kernel: with and without the module, locked down" running
show cat "$running"
