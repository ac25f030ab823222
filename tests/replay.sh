#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The replay of recorded reads on many CPUs: its rules, by traces made by hand, and what
# it says of reads recorded here.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "ffffffff81000000 T reader
ffffffff82000000 T folio_unlock" >"$work/symbols"
: >"$work/fields"

# by_hand NAME ACCESS...: two CPUs' reads of 1000 instructions. An ACCESS is ORDINAL,
# KIND, code, address; CPU in an address makes a line for each.
by_hand() {
	local name=$1 cpu access
	shift
	{
		echo recording
		for cpu in 0 1; do
			for access in "$@"; do
				echo "${access//CPU/$cpu} ${access##* } 8"
			done | sed "s/CPU/$cpu/g"
			echo "read $cpu 1000"
		done
	} >"$work/$name.trace"
}
code=ffffffff81000000 unlock=ffffffff82000000
by_hand local "10 r $code 1000" "20 a $code 2CPU00" "500 w $code 3CPU00"
by_hand atomic "500 a $code 1000"
by_hand counted "100 r $code 1000" "110 c $code 1000" "800 a $code 1000"
by_hand locked "100 a $code 1000" "200 a $unlock 1000"
replay() { "$top/scripts/replay" --set clock=1 --set smt=1 --set remote=1 "$@" "$work"; }
replay >"$work/table" || echo "not ok - the replay failed"
show cat "$work/table"

# rate NAME COLUMN: M reads/s of the table; the columns are 1, 2, 4, ... 256 CPUs.
rate() { awk -v name="$1" -v column="$2" '$1 == name { print $(column + 1); exit }' "$work/table"; }
# about A B: within 3 %.
about() { awk -v a="$1" -v b="$2" 'BEGIN { print a, b; exit !(a > 0.97 * b && a < 1.03 * b) }'; }

check "reads that share no written line scale with the CPUs" \
	about "$(rate local 9)" "$(awk -v one="$(rate local 1)" 'BEGIN { print 256 * one }')"
transfer=$(replay --parameters | awk '$1 == "transfer_ns" { print $2 }')
check "one contended atomic operation a read saturates at one read a transfer" \
	about "$(rate atomic 9)" "$(awk -v ns="$transfer" 'BEGIN { print 1000 / ns }')"
slower() { awk -v a="$(rate counted "$1")" -v b="$(rate atomic "$1")" 'BEGIN { print a, b; exit !(a < b) }'; }
check "a reference count's load, compare-and-exchange and decrement saturate lower" slower 9
# The line is lost again before a slow second try.
replay --set retry_ns=100 >"$work/slow-retry"
retries() {
	awk '$1 == "counted" { print; rate[FILENAME] = $10 }
		END { exit !(rate[ARGV[1]] < 0.9 * rate[ARGV[2]]) }' "$work/slow-retry" "$work/table"
}
check "a compare-and-exchange that another CPU came in between is tried again" retries
handoff=$(replay --parameters | awk '$1 == "handoff_ns" { print $2 }')
lock_bound() { awk -v rate="$(rate locked 9)" -v ns="$handoff" 'BEGIN { print rate, ns; exit !(rate < 1000 / ns) }'; }
check "a contended lock saturates below one read a handing over" lock_bound
refuse "an unknown cost is refused" "no such cost" "$top/scripts/replay" --set colour=1 "$work"
refuse "a directory without traces is refused" "symbols" "$top/scripts/replay" "$top/module"
refuse "a comparison with the published rows needs their recordings" "not recorded: off-blockdev" \
	"$top/scripts/replay" --strict "$work"

dir=$cache/replay
rm -rf "$dir"
check "reads are recorded" "$top/scripts/record-accesses" production "$dir" \
	ext4:16:own-fd:40 ext4:16:private:40 tmpfs:16:own-fd:40 xfs:16:own-fd:40 huge:16:own-fd:40 \
	blockdev:16:own-fd:40 huge:65536:own-fd:30 xfs:65536:private:30
check "base rows are replayed within 20 %, the series' within 35 %, but for XFS" \
	"$top/scripts/replay" --strict "$dir"
"$top/scripts/replay" "$dir" >"$work/table" || echo "not ok - the replay failed"
show cat "$work/table"

# gain CASE: on over off at 64 CPUs.
gain() { awk -v name="$1" '/^on \/ off/ { ratios = 1 } ratios && $1 == name { print $8 }' "$work/table"; }
at_least() { awk -v gain="$(gain "$1")" -v least="$2" 'BEGIN { print gain; exit !(gain >= least) }'; }
check "ext4, 16 bytes, 64 CPUs: at least 13 times the reads" at_least ext4-16-own-fd 13
check "tmpfs, 16 bytes, 64 CPUs: at least 120 times the reads" at_least tmpfs-16-own-fd 120
check "huge tmpfs, 64 KiB, 64 CPUs: at least 14 times the reads" at_least huge-65536-own-fd 14
# Beyond one socket nothing changes for reads that share nothing.
linear() { about "$(rate "$1" 9)" "$(awk -v r="$(rate "$1" 7)" 'BEGIN { print 4 * r }')"; }
for name in on-ext4-16-own-fd on-tmpfs-16-own-fd on-ext4-16-private on-xfs-65536-private; do
	check "$name: 256 CPUs read four times what 64 do" linear $name
done
saturated() { awk -v a="$(rate "$1" 9)" -v b="$(rate "$1" 5)" 'BEGIN { print a, b; exit !(a < 1.2 * b) }'; }
check "off-ext4-16-own-fd: 256 CPUs read hardly more than 16" saturated off-ext4-16-own-fd
check "off-tmpfs-16-own-fd: 256 CPUs read hardly more than 16" saturated off-tmpfs-16-own-fd
