#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# scripts/estimate-gain beside workloads that are known, without the module.
cp /bash-static /bin/bash
mkdir -p /etc
mount -t securityfs securityfs /sys/kernel/security
tracing=/sys/kernel/debug/tracing
failed=0
fail() {
	echo "$*"
	cat /tmp/report
	failed=1
}
# beside SECONDS COMMAND FILES: the report on a time in which the command runs. The
# files are held open, for the name of one that is closed is not to be had.
beside() {
	holders=
	for held in $3; do
		: >>"$held"
		{ sleep 1000; } <"$held" &
		holders="$holders $!"
	done
	/scripts/estimate-gain "$1" >/tmp/report 2>/tmp/progress &
	watcher=$!
	until grep -q watching /tmp/progress; do
		sleep 0.1
		kill -0 $watcher 2>/dev/null || { cat /tmp/progress; break; }
	done
	sh -c "$2"
	wait $watcher || fail "estimate-gain failed: $(cat /tmp/progress)"
	# shellcheck disable=SC2086 # several numbers
	[ -z "$holders" ] || kill $holders
	clean "$2"
}
clean() {
	left="$(cat $tracing/kprobe_events; ls $tracing/instances; find /tmp -name 'tmp.*')"
	[ -z "$left" ] || fail "left behind after $1: $left"
}
tells() { grep -q -- "$1" /tmp/report || fail "no '$1' in:"; }
# percent LINE WORD: of the line that ends so, the per cent after the word
percent() { sed -n "s,.*$2 \([0-9]*\) %.*$1\$,\1,p" /tmp/report | head -n 1; }
at_least() { [ "${2:-0}" -ge "$3" ] || fail "$1: ${2:-nothing}, expected at least $3"; }
at_most() { [ "${2:-101}" -le "$3" ] || fail "$1: ${2:-nothing}, expected at most $3"; }

# All reads are counted: 64 for the warm-up, and the shell's few.
beside 4 'preadbench --count /ext4/known 16 0 110000' /ext4/known
counted=$(sed -n 's/^reads .*: \([0-9,]*\) by filemap_read.*/\1/p' /tmp/report | tr -d ,)
seconds=$(sed -n 's/^watched *\([0-9]*\.[0-9]\) s.*/\1/p' /tmp/report)
counted=$(awk -v rate="$counted" -v s="$seconds" 'BEGIN { printf "%d", rate * s }')
echo "110064 preads and the shell's: $counted counted"
at_least "reads counted" "$counted" 108000
at_most "reads counted" "$counted" 113000
at_least "again" "$(percent /ext4/known again)" 95

# Hot in two CPUs' hands beside a file that is streamed. 40 GiB of nothing.
dd if=/dev/zero of=/ext4/hot bs=4k count=1 2>/dev/null
dd if=/dev/zero of=/ext4/stream bs=1M count=0 seek=40960 2>/dev/null
beside 4 'dd if=/ext4/stream of=/dev/null bs=4k 2>/dev/null & turns /ext4/hot 4; kill $!' '/ext4/hot /ext4/stream'
cat /tmp/report
at_least "hot: again" "$(percent /ext4/hot again)" 90
at_least "hot: other CPU" "$(percent /ext4/hot 'other CPU')" 90
at_most "streamed: again" "$(percent /ext4/stream again)" 5
tells 'ext4 .*full gain'

# What gains less, and what is not served.
dd if=/dev/zero of=/xfs/stream bs=1M count=64 2>/dev/null
cat >/tmp/kinds <<'END'
preadbench /xfs/locked 1 16 same 3 &
preadbench /tmpfs/memory 1 16 same 3 &
dd if=/xfs/stream of=/dev/null iflag=direct bs=4k 2>/dev/null &
dd if=/dev/vdb of=/dev/null bs=4k count=20000 2>/dev/null
kill $!
wait
END
beside 4 'sh /tmp/kinds; rm /tmp/kinds' '/xfs/locked /tmpfs/memory'
cat /tmp/report
tells 'xfs .*small gain: each read also takes a lock'
tells 'tmpfs .*full gain'
tells 'block .*small gain'
tells ': /dev/vdb$'
tells ': /tmpfs/memory$'
at_least "O_DIRECT" "$(sed -n 's/^not served *\([0-9,]*\) reads.*/\1/p' /tmp/report | tr -d ,)" 10

# Ended from outside, it cleans up as well.
timeout -s INT 3 /scripts/estimate-gain 60 >/tmp/report 2>&1 && fail "it ended well after Ctrl-C"
clean Ctrl-C
# It finds its way in the kernel while others read as fast as they can.
preadbench /ext4/hot 2 16 same 100 >/dev/null &
readers=$!
/scripts/estimate-gain 60 >/tmp/report 2>&1 &
watcher=$!
until grep -q 'watching for 60 s' /tmp/report || ! kill -0 $watcher; do
	sleep 0.2
done
kill $watcher
wait $watcher && fail "it ended well after SIGTERM"
kill $readers
tells 'watching for 60 s'
clean SIGTERM
echo confidentiality >/sys/kernel/security/lockdown
/scripts/estimate-gain 1 >/tmp/report 2>&1 && fail "it succeeded in a kernel that is locked down"
tells 'locked down'
exit $failed
