#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kernel's own tests of memory management, memfd, mincore and cachestat come to
# the same with the module off and on.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages gcc libc6-dev rsync make

names=(mincore/mincore_selftest memfd/memfd_test cachestat/test_cachestat mm/madv_populate
	mm/mkdirty mm/khugepaged mm/hugetlb-soft-offline)
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
out=$cache/selftests-$(cat "$0" <(echo "$kernel") | sha256sum | cut -c1-12)
log=$cache/selftests.log

# The kernel's headers are newer than Debian 12's.
build_selftest() {
	local source=$kernel/tools/testing/selftests name=$1 more=()
	case $name in
	mm/*) more=("$source"/mm/{vm_util,thp_settings}.c) ;;
	memfd/*) more=("$source/memfd/common.c") ;;
	esac
	gcc -O2 -static -w -D_GNU_SOURCE= -include "$source/kselftest.h" \
		-isystem "$out/headers/include" -I"$source" -o "$out/selftests/${name#*/}" \
		"$source/$name.c" "${more[@]}" -lpthread -lrt -lm
}
build() {
	[ ! -e "$out/done" ] || return 0
	mkdir -p "$out/selftests"
	make -s -C "$kernel" headers_install INSTALL_HDR_PATH="$out/headers" || return
	for name in "${names[@]}"; do
		build_selftest "$name" || return
	done
	touch "$out/done"
}
build >"$cache/selftests-build.log" 2>&1 ||
	die "the kernel's tests do not build; see $cache/selftests-build.log"
selftests() {
	vm "$kernel" selftests.sh --module "$module" --file "$out/selftests" --memory 1536 --cpus 1 \
		--timeout 900 >"$log"
}
check "the kernel's own tests come to the same with the module off and on" selftests
show cat "$log"
