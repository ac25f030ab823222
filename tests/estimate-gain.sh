#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/estimate-gain tells known workloads apart, counts right, and leaves nothing
# behind.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages bash-static busybox-static mawk

# Events made up: file 12 is read at one place by two CPUs in turn; 13 is streamed.
made_up() {
	awk -v type="$1" -v dev=$((254 * 1048576)) 'BEGIN {
		print "mount 254:0 " type " /data"
		print "open " 254 * 256 " 12 /data/hot file"
		print "before filemap 1000\nbefore shmem 0\nafter filemap 2001000\nafter shmem 0"
		for (w = 0; w < 4; w++) {
			print "window " w, w + 0.0005
			for (i = 0; i < 3000; i++)
				print "filemap", i % 2, w, "dev=" dev, "ino=12 mode=33188 end=65536 pos=4100 size=16"
			for (i = 0; i < 1000; i++)
				print "filemap 0", w, "dev=" dev, "ino=13 mode=33188 end=99999999 pos=" (w * 1000 + i) * 4096 " size=4096"
		}
	}'
}
estimate() {
	local awk=$1
	shift
	# shellcheck disable=SC2086 # busybox awk is two words
	made_up "$1" | $awk -v watched=10 -v cpus=4 -v release=x -v ns_per_read=300 -v bytes_per_ns=10 \
		-v ns_saved_per_read=50 -v ns_per_transfer=60 -f "$top/scripts/lib/estimate.awk"
}
# tells AWK TYPE LINE...: is each line in the report?
tells() {
	local report line
	report=$(estimate "$1" "$2")
	echo "$report"
	shift 2
	for line in "$@"; do
		grep -qF -- "$line" <<<"$report" || { echo "there is no '$line'"; return 1; }
	done
}
for awk in mawk 'busybox awk'; do
	check "$awk: what is hot, what is streamed, and the sum" tells "$awk" ext4 '200,000 by filemap_read()' \
		'75 % of reads went back' '100 % of reads of a page just read' '75 % of reads, again 100 %, other CPU 100 %: /data/hot file' \
		'25 % of reads, again 0 %, other CPU 0 %: inode 13 on /data' 'up to 64 bytes 75 %, 512 0 %, 4 KiB 25 %' \
		'worth measuring: one page'
	check "$awk: on XFS the gain is small" tells "$awk" xfs 'small gain: each read also takes a lock' 'little to gain'
done

kernel=$("$top/scripts/build-kernel" production)
log=$cache/estimate-gain.log
in_vm() { vm "$kernel" estimate-gain.sh --file /bin/bash-static --file "$top/scripts" | tee "$log"; }
check "in a running kernel: counts, files, file systems, and nothing left behind" in_vm
show cat "$log"
on_debian() {
	vm installed estimate-gain-debian.sh --file "$top/scripts" --timeout 600 \
		--root "$("$top/scripts/debian-image")" >"$log"
}
check "on Debian's own kernel, which has no hooks" on_debian
show cat "$log"
