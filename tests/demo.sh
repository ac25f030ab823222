#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The README's first command runs and prints a whole table. No figure is judged.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

log=$cache/demo.table
demo() { "$top/scripts/demo" 2 0.05 >"$log"; }
check "scripts/demo prints its table" demo
rows() { [ "$(grep -cE '^(ext4|tmpfs|huge) ' "$log")" -eq 27 ]; }
check "with a row for each file system, size and number of threads" rows
counted() { awk '/^filemap_reads|^tmpfs_reads/ && $2 > 0 { n++ } END { exit n != 2 }' "$log"; }
check "and reads of both kinds were served without references" counted
show cat "$log"
