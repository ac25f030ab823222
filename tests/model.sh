#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The protocol as a model, all of whose states spin explores: nothing wrong in any
# of them, and something wrong as soon as one guard is taken away. The longer
# run, in which unloading and truncation meet: MODEL=full scripts/test model.
. "$(dirname "$0")/lib/check.sh"
need_packages spin gcc libc6-dev

models=$top/tests/model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# explore NAME OPTIMIZE MODEL FLAG...: into a log; spin writes a program that does
# the work, breadth first, so that the way to a fault is the shortest.
explore() {
	local dir=$work/$1 optimize=$2 model=$3
	shift 3
	mkdir "$dir"
	cd "$dir" || return
	{ spin -a "$@" "$models/$model" && gcc "$optimize" -w -DSAFETY -DBFS -o pan pan.c &&
		./pan; } >log 2>&1 || true
	# What led to the fault, for the remarks of a check that fails.
	compgen -G '*.trail' >/dev/null || return 0
	spin -t -p -g -l -k ./*.trail "$@" "$models/$model" 2>&1 | tail -n 50 >trail.log
}

in_background=0
start() {
	[ $in_background -lt "$(nproc)" ] || { wait -n; in_background=$((in_background - 1)); }
	explore "$@" &
	in_background=$((in_background + 1))
}

# The statements that no state reaches, beside the ends of the endless loops.
unreached() { grep -E '^\s.*, state [0-9]+, ' "$1" | grep -vF '"-end-"'; }

right() {
	local dir=$work/$1
	cat "$dir"/{log,trail.log} 2>/dev/null
	grep -q 'errors: 0' "$dir/log" &&
		! grep -qE 'too small|not completed|out of memory' "$dir/log" &&
		! unreached "$dir/log"
}
wrong() {
	cat "$work/$1/log"
	grep -qF "assertion violated $2" "$work/$1/log"
}
states() { sed -n "s/^ *\([0-9]*\) states, stored/$1: \1 states/p" "$work/$1/log"; }

foreign='(seen_front==0)'
zeroes='((seen_size==1)||(seen_back!=4))'
# Guard, the assertion that its loss violates, what is lost.
readers="
NO_RELOAD;$foreign;the slot is not looked at again
NO_ACQUIRE;$foreign;the second look at the slot may come before the flags
SIZE_EARLY;$zeroes;the size may be older than the flags
NO_GRACE_PERIOD;$foreign;a free does not wait
EVICTION_TEST_WRONG;$foreign;the folios of an open file are freed at once
EVICTION_FREES_NEW;$foreign;an evicted folio that was just flagged is freed at once
FLAG_WITHOUT_REFERENCE;(state==2);the flag is set without a reference
"
loading="
READS_ON_EARLY;$foreign;reads are on before the grace period at load
CALL_ON_EARLY;$foreign;a late reader finds the module before frees are deferred
DEFERRAL_OFF_EARLY;$foreign;frees are not deferred before the grace period at unload
CALL_OFF_LATE;$foreign;a late reader finds the module when frees are not deferred
NO_LAST_GRACE_PERIOD;loaded;the module goes before the hooks are empty
"
splitting="
NO_LAST_SLOT;(bytes[page]==page);the order is trusted without the last page's slot
SPLIT_LOSES_FLAG;(bytes[page]==page);the page split off has no flag
"

mutants() { grep . <<<"$1"; }
start_mutants() {
	local list=$1 name
	shift
	while IFS=';' read -r name _; do
		# Found so soon that it is not worth optimizing for.
		start "$name" -O0 "$@" "-D$name"
	done < <(mutants "$list")
}
check_mutants() {
	local name assertion lost
	while IFS=';' read -r name assertion lost; do
		check "rejected: $lost" wrong "$name" "$assertion"
	done < <(mutants "$1")
}

start loading -O1 refless.pml -DONE_SIZE
start reading -O1 refless.pml -DSTAYS_LOADED
start splitting -O0 split.pml
[ "${MODEL:-}" != full ] || start both -O1 refless.pml
start_mutants "$loading" refless.pml -DONE_SIZE
start_mutants "$readers" refless.pml -DSTAYS_LOADED
start_mutants "$splitting" split.pml
wait

check "reading, freeing, reuse, eviction and truncation: nothing wrong in any state" right reading
check "... with loading and unloading" right loading
check "reading while a folio is split: nothing wrong in any state" right splitting
[ "${MODEL:-}" != full ] || check "all of the first two at once" right both
for model in reading loading splitting; do show states $model; done
check_mutants "$readers"
check_mutants "$loading"
check_mutants "$splitting"
