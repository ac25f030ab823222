#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio, SQLite, PostgreSQL, git, nginx and stress-ng on a Debian system, without the
# module and with it: the same results, none of them wrong. WORKLOAD_SECONDS=N goes
# on for that long, from the second round with the page cache dropped all the time.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

seconds=${WORKLOAD_SECONDS:-0}
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
image=$("$top/scripts/debian-image")
log=$cache/workloads.log
workloads() {
	vm "$kernel" "workloads.sh $seconds /refless/refless.ko" --root "$image" --module "$module" \
		--timeout $((seconds * 2 + 900)) --console "$cache/workloads.console" >"$log"
}
check "programs read the same with the module off and on" workloads
show cat "$log"
