#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The truth test under each kind of preemption, LRU, huge pages, initialization of
# freed memory, NUMA and CPU hotplug: few combinations, in which each value of one
# meets each of another (but initialization, which only meets LRUs and huge pages
# so); or all with MATRIX=full (more than an hour). MATRIX_SECONDS: of each (10).
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${MATRIX_SECONDS:-10}
log=$cache/matrix.log

# one PREEMPT LRU_GEN THP NODES HOTPLUG INIT: the last is of the command line.
one() {
	local flavour=production kernel module
	# Debian's kernel has no page poisoning.
	[ "$6" != page_poison=1 ] || flavour=debug
	kernel=$("$top/scripts/build-kernel" $flavour)
	module=$("$top/scripts/build-module" $flavour)
	vm "$kernel" "matrix.sh $seconds $1 $2 $3 $4 $5" --module "$module" --cpus 4 --nodes "$4" \
		--memory 2048 --append "preempt=$1 transparent_hugepage=$3 ${6#none}" \
		--timeout $((seconds * 3 + 300)) | tee "$log"
}
combination() {
	check "preempt=$1 lru_gen=$2 thp=$3 nodes=$4 hotplug=$5 init=$6" one "$@"
	show grep -E '^(reads|filemap_reads|tmpfs_reads|pages_deferred|CPUs)' "$log"
}

if [ "${MATRIX:-}" != full ]; then
	combination none 7 always 2 yes init_on_free=1
	combination none 0 never 1 no page_poison=1
	combination voluntary 7 never 1 yes none
	combination voluntary 0 always 2 no none
	combination full 7 always 1 no page_poison=1
	combination full 0 never 2 yes init_on_free=1
	exit
fi
for preempt in none voluntary full; do
	for lru_gen in 7 0; do
		for thp in always never; do
			for nodes in 1 2; do
				for hotplug in yes no; do
					for init in none init_on_free=1 page_poison=1; do
						combination $preempt $lru_gen $thp $nodes $hotplug $init
					done
				done
			done
		done
	done
done
