#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/bench --quick makes a whole report, the counts in it are right, and
# bench-report's tables say what is in the raw data. No time is judged.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=$work/report
mkdir "$work/empty"

refuse "an unknown option" 'bench \[OPTION' "$top/scripts/bench" --fast
refuse "an unknown group" "there is no group 'huge'" "$top/scripts/bench" huge
refuse "nonsense boots" "not 'many'" "$top/scripts/bench" --boots many
refuse "nonsense seconds" "not 'long'" "$top/scripts/bench" --seconds long
refuse "an option without its value" 'takes a value' "$top/scripts/bench" --output
refuse "a directory that is in use" 'is there already' "$top/scripts/bench" --output "$top"
refuse "bench-report: nonsense" 'not a line of bench' "$top/scripts/bench-report" "$top/README.md" "$work"
refuse "bench-report: no file" 'No such file' "$top/scripts/bench-report" /nonexistent "$work"
refuse "bench-report: no figure" 'nothing was measured' "$top/scripts/bench-report" /dev/null "$work"

quick() { cd "$work/empty" && "$top/scripts/bench" --quick --output "$report"; }
check "bench --quick" quick
nothing_else() { [ -z "$(ls -A "$work/empty")" ]; }
check "it writes nothing beside its report" nothing_else
files() { diff <(printf '%s\n' changes.png costs.png raw.txt report.txt small.png) <(ls "$report"); }
check "the report has its files" files
check "its plots are whole and not empty" "$top/tests/lib/check_png.py" "$report"/*.png
header() {
	local fact
	for fact in kernel configuration cpu hypervisor memory 'command line' mitigations thp lru_gen \
		mount 'module parameters' 'pages in the first folio'; do
		grep -q "^# $fact.*: ." "$report/report.txt" || { echo "no $fact"; return 1; }
	done
}
check "its header says what was measured on what" header
# 4 file systems in 3 ways; of the costs, a drop has two figures and a refault has one.
rows() {
	awk '/^Reads on against/ { inside = 1 } /^One file/ { inside = 0 }
		inside && /threads? / && /\|/ { n++ } END { print n; exit n != 16 }' "$report/report.txt"
}
check "with a row for each thing that was measured" rows
arms() { # Each of the 16 figures once in each of the four arms.
	awk '!/^#/ { n[$3]++ } END { for (arm in n) print arm, n[arm]
		exit !(n["absent"] == 16 && n["off"] == 16 && n["on"] == 16 && n["again"] == 16) }' \
		"$report/raw.txt"
}
check "in each arm" arms
# Of hot reads that are on, hardly any falls back: the first few of each thread.
served() {
	awk '$4 == "small" && $3 == "on" { served += $8; fell += $9; if ($8 < 100 * $9) bad = 1 }
		$4 == "small" && $3 ~ /off|again|absent/ { unexpected += $8 }
		END { print served, fell, unexpected; exit !(served && !bad && unexpected < 1000) }' \
		"$report/raw.txt"
}
check "over 99 % of the hot reads are served without a reference, none with the reads off" served
show served
deferred() {
	awk '$5 ~ /drop/ && $3 == "on" { grace += $10; peak += $12 } $3 == "absent" && $12 { bad = 1 }
		END { print grace, peak; exit !(grace && peak && !bad) }' "$report/raw.txt"
}
check "dropped hot data waits for grace periods, and for none without the module" deferred
show deferred
kills() { awk '!/^#/ { kills += $13 } END { exit kills != 0 }' "$report/raw.txt"; }
check "no process is killed for memory" kills
show sed -n '/^In short/,/^What the hooks/p' "$report/report.txt" || true

# Made-up data with a known answer: 20 % more with the reads on; a control that is equal.
made_up() {
	local boot arm figure
	for boot in {1..12}; do
		for arm in stock absent off again on; do
			figure=$((1000 + boot * 7 % 12))
			[ $arm = on ] && figure=$((1200 + boot * 5 % 12))
			echo "$boot 1 $arm small ext4/2/same/16 reads/s $figure 990 10 3 1 256 0"
			echo "$boot 1 $arm small ext4/2/own/16 reads/s 2000 990 10 3 1 256 0"
			echo "$boot 1 $arm costs ext4/1/own/drop-64-MiB ms/drop $figure 0 0 3 1 512 0"
		done
	done
	echo "instructions stock off ext4-4096 5551.2"
	echo "instructions production off ext4-4096 5550.6"
	echo "instructions production on ext4-4096 5251.6"
}
known() { made_up >"$work/made-up" && "$top/scripts/bench-report" "$work/made-up" "$work"; }
check "bench-report on made-up data" known
says() { check "... $1" grep -qE -- "$2" "$work/report.txt"; }
says "finds what is better and what is worse" \
	'better with the reads on: 1, worse: 1, no difference found: 1'
says "finds nothing in the control" 'control.*: 0 of 3 rows'
says "prints base, change and new" \
	'^ext4 2 threads same file 16 B.* 1,006 ± 0.3% \| +\+19\.9%  \| +1,206 ± 0.2% \| <0.0001'
says "puts a tilde where nothing differs" '^ext4 2 threads own files 16 B.* \| +\+0\.0%~ \|'
says "gives the share that fell back" '^ext4 2 threads same file 16 B .* 12,000 \|    1\.000%'
says "gives the memory held back" '^ext4 1 thread drop 64 MiB .* 2\.0 MiB'
says "has the instructions of each kernel" '^ext4 4 KiB +5,551 +5,551 +5,252$'
says "compares one file with files of their own" '^ext4 2 threads same file.* 0\.50 +0\.60$'
