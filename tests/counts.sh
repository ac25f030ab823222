#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Instructions per read, the share of reads served without a reference, which
# folios are flagged and deferred, and that streamed data is left alone.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"

production=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
log=$cache/counts.log
check "instructions are counted" "$top/scripts/count-instructions" production "$cache/counts.production"
show cat "$cache/counts.production"

# at_most LIMIT OF A B: is (A - floor) / (B - floor) at most the limit?
above_floor() {
	awk -v fs="$1" -v limit="$2" '
		{ n[$1 " " $2] = $3 }
		END {
			on = n["on " fs] - n["off " fs "-floor"]
			off = n["off " fs] - n["off " fs "-floor"]
			printf "%s: above the floor %.1f with the module, %.1f without: %.3f\n",
				fs, on, off, on / off
			exit !(off > 0 && on > 0 && on / off <= limit)
		}' "$cache/counts.production"
}
for fs in ext4 tmpfs; do
	check "$fs: a hot 16-byte pread takes at most 0.45 of the instructions" above_floor $fs 0.45
	show above_floor $fs 0.45
done

# What the statistics of a read cost, and that they can be switched off.
counting_costs() {
	awk -v fs="$1" '
		{ n[$1 " " $2] = $3 }
		END {
			cost = n["on " fs] - n["uncounted " fs]
			printf "%s: counting costs %.1f instructions of %.1f\n", fs, cost, n["on " fs]
			exit !(cost > 0 && cost <= 4)
		}' "$cache/counts.production"
}
for fs in ext4 tmpfs; do
	check "$fs: statistics cost a read at most 4 instructions, and none when off" counting_costs $fs
	show counting_costs $fs
done

# To 0.5 per cent.
as_without_the_module() {
	awk '$1 == "off" || $1 == "idle" { n[$1 " " $2] = $3; kinds[$2] }
		END {
			for (kind in kinds) {
				off = n["off " kind]
				idle = n["idle " kind]
				printf "%s: %.1f with read=0, %.1f without the module\n", kind, idle, off
				compared++
				if (!off || !idle || (idle - off) ^ 2 > (off / 200) ^ 2)
					bad = 1
			}
			exit bad || compared != 6
		}' "$cache/counts.production"
}
check "with read=0, reads take what they take without the module" as_without_the_module
show as_without_the_module

counted=$cache/counts.sizes
check "instructions of larger reads are counted" \
	"$top/scripts/count-instructions" production "$counted" 4096 65536
none_slower() {
	awk '{ n[$1 " " $2] = $3; if ($1 == "on") kinds[$2] }
		END {
			for (kind in kinds) {
				printf "%s: %.1f with the module, %.1f without\n",
					kind, n["on " kind], n["off " kind]
				compared++
				if (!n["off " kind] || n["on " kind] > n["off " kind])
					bad = 1
			}
			exit bad || compared != 8
		}' "$counted"
}
check "on no file system do they take more instructions with the module" none_slower
show none_slower

served() { vm "$production" "served.sh" --module "$module" | tee "$log"; }
check "over 99.9 % of hot 16-byte preads take no reference" served
show cat "$log"
flagging() { vm "$production" flagging.sh --module "$module" | tee "$log"; }
check "hot folios are flagged on both LRUs; evicted inodes' folios are freed at once" flagging
show cat "$log"
streaming() { vm "$production" "streaming.sh" --module "$module" --memory 768 --disk 4096 | tee "$log"; }
check "a file of twice the memory, streamed, flags and defers nothing" streaming
show cat "$log"
