#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same system calls with the module off and on: the same results.
. "$(dirname "$0")/lib/check.sh"

compare() {
	local flavour=$1 kernel module
	kernel=$("$top/scripts/build-kernel" "$flavour")
	module=$("$top/scripts/build-module" "$flavour")
	check "$flavour: module off and on give the same results, bytes and errnos" \
		vm "$kernel" differential.sh --module "$module" --nodes 2 --timeout 900
}
compare production
compare debug
