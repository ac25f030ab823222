#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Load and unload under full read load: no hang, no splat, nothing left waiting.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

cycles=${CYCLES:-10}
debug=$("$top/scripts/build-kernel" debug)
module=$("$top/scripts/build-module" debug)
log=$cache/cycles.log
cycle() {
	vm "$debug" "cycles.sh $cycles" --module "$module" --cpus 4 --nodes 2 --memory 3072 \
		--timeout $((cycles * 15 + 300)) | tee "$log"
}
check "debug: $cycles times loaded and unloaded under load" cycle
show cat "$log"
