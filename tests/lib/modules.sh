# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that load modules of tests/module.
# shellcheck shell=bash
# shellcheck disable=SC2154 # cache and top: common.sh

# test_module FLAVOUR NAME: build it for a VM kernel, print its path.
test_module() {
	local tree out=$cache/test-modules-$1
	tree=$("$top/scripts/build-kernel" "$1")
	mkdir -p "$out"
	cp "$top"/tests/module/* "$out/"
	make -C "$tree" M="$out" CC=gcc W=1 modules >"$out/build.log" 2>&1 ||
		{ tail -n 20 "$out/build.log" >&2; die "the test modules do not build"; }
	echo "$out/$2.ko"
}
