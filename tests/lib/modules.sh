# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that load modules of tests/module.
# shellcheck shell=bash
# shellcheck disable=SC2154 # cache and top: common.sh

# build_test_modules FLAVOUR DIRECTORY: build those of a directory of tests for a VM
# kernel, print where they are.
build_test_modules() {
	local tree out=$cache/test-$2s-$1
	tree=$("$top/scripts/build-kernel" "$1")
	mkdir -p "$out"
	# Two callers at a time would build over each other.
	exec 9>"$out.lock"
	flock 9
	cp "$top/tests/$2"/* "$out/"
	make -C "$tree" M="$out" CC=gcc W=1 modules >"$out/build.log" 2>&1 ||
		{ tail -n 20 "$out/build.log" >&2; die "the modules of tests/$2 do not build"; }
	echo "$out"
}

# test_module FLAVOUR NAME: build it, print its path.
test_module() { echo "$(build_test_modules "$1" module)/$2.ko"; }
torture_module() { echo "$(build_test_modules "$1" torture)/refless_torture.ko"; }
