#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# selftests.sh: the kernel's own tests in /selftests with the module off and on, beside
# hot data that is dropped all the time. Prints for each "NAME: N passed" and what
# passed or failed in one state alone; fails if anything did, or if a test passed nothing.
failed=0
cd /ext4 || exit 1

# run NAME ARGUMENT...: what each case came to.
run() {
	name=$1
	shift
	timeout 120 /selftests/"$name" "$@" >/tmp/"$name".full 2>&1
	echo "exit status $?" >>/tmp/"$name".full
	# TAP; khugepaged and memfd's have words of their own.
	tr -d '\033' </tmp/"$name".full | sed 's/\[[0-9]*m//g' >/tmp/"$name".plain
	sed -n 's/^\(not \)\{0,1\}ok [0-9]* /\1ok /p; /\.\.\. *\(OK\|Fail\)$/p; /^memfd: /p; /^exit/p' /tmp/"$name".plain
}

# both NAME ARGUMENT...
both() {
	run "$@" >/tmp/off
	insmod /refless.ko || exit 1
	hotdrop /ext4/hot 8 1000 >/dev/null &
	dropper=$!
	run "$@" >/tmp/on
	kill $dropper
	wait $dropper 2>/dev/null
	reads=$((reads + $(cat /sys/kernel/debug/refless/filemap_reads)))
	rmmod refless || exit 1
	passed=$(grep -E '^ok|OK$|^memfd: ' /tmp/on | grep -c -v '# SKIP')
	echo "$1: $passed passed, $(grep -c -E '^not ok|Fail$' /tmp/on) failed," \
		"$(grep -c '# SKIP' /tmp/on) skipped"
	# What fails does so in this VM without the module, too.
	if cmp -s /tmp/off /tmp/on && [ "$passed" -gt 0 ]; then
		return
	fi
	failed=1
	diff -U 0 /tmp/off /tmp/on | tail -n +3
	tail -n 5 /tmp/"$1".full
}

both mincore_selftest
both memfd_test
both test_cachestat
both madv_populate
both mkdirty
both khugepaged madvise:shmem
echo 8 >/proc/sys/vm/nr_hugepages
both hugetlb-soft-offline
echo "reads without a reference: $reads"
exit $failed
