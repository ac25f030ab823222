#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/ab: its arithmetic, on a tree of files in place of the kernel's, and in a VM.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages python3 util-linux coreutils

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
export REFLESS_TEST_ROOT=$root PATH=$root/bin:$PATH
parameters=$root/sys/module/refless/parameters
debugfs=$root/sys/kernel/debug/refless
ab() { "$top/scripts/ab" "$@"; }

load_fake_module() {
	mkdir -p "$parameters" "$debugfs"
	echo "${1:-Y}" >"$parameters/read"
	echo 33 >"$parameters/waiting_limit_mib"
	printf 'filemap_reads %20d  reads\nfallback_lru %20d  why\ntotal now 0 peak 512\n' \
		0 0 >"$debugfs/summary"
}
unload_fake_module() { rm -rf "$root/sys/module/refless" "$debugfs"; }

mkdir -p "$root/bin" "$root/proc" "$root/sys/module"
echo '0000000000000000 R refless_hook_abi' >"$root/proc/kallsyms"
echo 0 >"$root/runs"

# A program whose rate is noise of 2 % from a fixed seed, and GAIN times as much with
# reads on; the module's counters go on with it.
cat >"$root/bin/load" <<'END'
#!/usr/bin/python3
import os, random, re
root = os.environ["REFLESS_TEST_ROOT"]
with open(root + "/runs", "r+") as file:
    run = int(file.read()) + 1
    file.seek(0)
    file.write(str(run))
on = open(root + "/sys/module/refless/parameters/read").read().strip() in "1Y"
if on:
    with open(root + "/sys/kernel/debug/refless/summary", "r+") as file:
        text = re.sub(r"reads +(\d+)", lambda m: f"reads {int(m[1]) + 900:20}", file.read())
        text = re.sub(r"lru +(\d+)", lambda m: f"lru {int(m[1]) + 100:20}", text)
        file.seek(0)
        file.write(text)
rate = random.Random(run).gauss(100, 2) * (float(os.environ.get("GAIN", 1)) if on else 1)
print(f"warming up: rate = 7\nrate = {rate:.6f}")
END
cat >"$root/bin/load-if-loaded" <<'END'
#!/bin/bash
[ -e "$REFLESS_TEST_ROOT/sys/module/refless" ] && echo "rate = 110.$$" || echo "rate = 100.$$"
END
# kmod's tools, which only write down what they were asked for.
for tool in modprobe insmod rmmod; do
	cat >"$root/bin/$tool" <<-END
		#!/bin/bash
		echo "$tool \$*" >>"$root/kmod"
		if [ $tool = rmmod ]; then
			rm -rf "$root/sys/module/refless"
		else
			mkdir -p "$parameters"
			for set in "\${@:2}"; do echo "\${set#*=}" >"$parameters/\${set%%=*}"; done
		fi
	END
done
chmod +x "$root"/bin/*

check "the statistics agree with published figures and brute force" \
	/usr/bin/python3 "$top/tests/lib/significance_test.py"

refuse "a kernel without the hooks" 'has no refless hooks: build one' \
	env REFLESS_TEST_ROOT=/ "$top/scripts/ab" true
refuse "the module is not loaded" 'modprobe refless' ab true
load_fake_module
cp -r "$top/scripts" "$root/scripts"
refuse "not root" 'takes root' setpriv --reuid 65534 --clear-groups env -i \
	/usr/bin/python3 "$root/scripts/ab" true
refuse "no command" 'which command' ab
refuse "no such command" 'nosuch: no such command' ab nosuch
refuse "the command fails" 'sh failed with status 7: this is why' \
	ab sh -c 'echo this is why >&2; exit 7'
refuse "the metric is not there" 'matches nothing' ab --metric 'tps = (.*)' echo nothing
refuse "the metric is no number" 'which is no number' ab --metric 'tps = (.*)' echo tps = many
refuse "the metric is no regular expression" 'no regular expression' ab --metric '(' true
refuse "nonsense pairs" '1 or more' ab --pairs 0 true
refuse "no such module file" 'no such module file' ab --reload --module /nonexistent true

says() {
	local what=$1 text=$2 output
	shift 2
	if output=$("$@" 2>&1) && grep -q -- "$text" <<<"$output"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
	fi
	remark "$output"
}
metric=(--metric 'rate = ([0-9.]+)')
echo 0 >"$root/runs"
says "A/A with reads off finds nothing" 'no difference found, as it' ab --aa off "${metric[@]}" load
says "A/A with reads on finds nothing" 'no difference found, as it' ab --aa on "${metric[@]}" load
says "neither does A/B where nothing differs" 'no difference found (p' ab "${metric[@]}" load
says "10 % are found" 'better with reads on: +1[0-9.]*%' \
	env GAIN=1.1 "$top/scripts/ab" --raw "$root/raw" "${metric[@]}" load
says "10 % less of what should be high is worse" 'WORSE with reads on: -' \
	env GAIN=0.9 "$top/scripts/ab" "${metric[@]}" load
says "10 % less of what should be low is better" 'better with reads on: -' \
	env GAIN=0.9 "$top/scripts/ab" "${metric[@]}" --lower-is-better load
says "what was served and what fell back is counted" '9,000, 90.00 % of those tried' \
	ab "${metric[@]}" load
says "without a metric, wall time is compared" 'wall time, s; lower is better' ab true
says "what matters of the machine stands above the result" '^# module parameters before: read=Y' \
	ab --pairs 1 true

raw() { [ "$(grep -v '^#' "$root/raw" | cut -d' ' -f1-3 | paste -sd,)" = "$1" ]; }
order=$(for pair in {1..10..2}; do
	printf '%s\n' "$pair base off" "$pair new on" "$((pair + 1)) new on" "$((pair + 1)) base off"
done | paste -sd,)
check "the raw file has all runs, in turn, each pair the other way round" raw "$order"

read_is() { [ "$(cat "$parameters/read")" = "$1" ]; }
check "the parameter is what it was" read_is Y
load_fake_module N
says "... also if it was off" 'no read was served\|no difference\|reads on' ab --pairs 2 true
check "... it is off again" read_is N
load_fake_module Y
# interrupted SIGNAL COMMAND...: ab gets it once its command has started, which says
# so in a file; succeeds if ab then fails. A shell's background job would ignore SIGINT.
interrupted() {
	rm -f "$root/started"
	/usr/bin/python3 - "$root/started" "$1" "$top/scripts/ab" "${@:2}" <<-'END'
		import os, signal, subprocess, sys, time
		started, number, *command = sys.argv[1:]
		ab = subprocess.Popen(command)
		while not os.path.exists(started) and ab.poll() is None:
		    time.sleep(0.05)
		ab.send_signal(getattr(signal, "SIG" + number))
		sys.exit(not ab.wait(timeout=60))
	END
}
no_process() { ! pgrep -f "$1"; }
for signal in INT TERM; do
	check "SIG$signal ends it" interrupted $signal sh -c "touch $root/started; exec sleep 1077"
	check "... and the parameter is what it was" read_is Y
	check "... and the command is gone" no_process "^sleep 1077"
done
check "a command that ignores signals is ended too" interrupted TERM \
	sh -c "trap '' TERM INT; touch $root/started; sleep 1078; true"
check "... with what it started" no_process "^sleep 1078"

says "--check passes equal output" 'output was the same in all runs' ab --check --pairs 3 echo same
refuse "--check finds output that changes with the reads" 'with reads on is not what it was' \
	ab --check cat "$parameters/read"
refuse "--check finds output that changes by itself" 'from run to run' \
	ab --check --pairs 3 sh -c 'date +%N'

says "--reload measures" 'better with reads on' ab --reload "${metric[@]}" load-if-loaded
check "... loads with the parameters that were set" grep -q \
	'^modprobe refless read=1 waiting_limit_mib=33$' "$root/kmod"
last_load() { [[ $(tail -n 1 "$root/kmod") = "modprobe refless read=Y waiting_limit_mib=33" ]]; }
check "... and in the end as it was" last_load
unload_fake_module
says "--reload begins without the module" 'no difference' \
	ab --reload --module "$root/kmod" --metric '([0-9]+)' echo 1
check "... and leaves none" test ! -e "$root/sys/module/refless"

# The guest has busybox alone: what else scripts/ab needs comes in a tar.
pack_python() {
	local guest=$root/guest lib
	mkdir -p "$guest/usr/bin" "$guest/usr/lib" "$guest/checkout/tests"
	cp /usr/bin/python3 "$guest/usr/bin/"
	ln -s /bin/busybox "$guest/usr/bin/env"
	for lib in $(ldd /usr/bin/python3 | grep -o '/[^ ]*'); do
		mkdir -p "$guest/$(dirname "$lib")"
		cp "$lib" "$guest/$lib"
	done
	(cd /usr/lib && tar -c --exclude='__pycache__' --exclude='config-*' --exclude='test' \
		--exclude='lib2to3' --exclude='ensurepip' --exclude='pydoc_data' python3.*/) |
		tar -x -C "$guest/usr/lib"
	cp -r "$top/scripts" "$guest/checkout/"
	cp -r "$top/tests/guest" "$guest/checkout/tests/"
	tar -c -C "$guest" . >"$root/python.tar"
}
export -n REFLESS_TEST_ROOT
log=$cache/ab.log
kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
pack_python
in_vm() { vm "$kernel" ab.sh --module "$module" --file "$root/python.tar" | tee "$log"; }
check "in a VM: it switches and reloads the real module" in_vm
show grep -v '^#[^#]' "$log"
# served PART SHARE: that many per cent, in that part of the log, at least.
served() {
	awk -v part="## $1" -v least="$2" '
		/^## / { here = $0 == part }
		here && / without a reference, on: / { share = $(NF - 4); found = 1 }
		END { exit !(found && share >= least) }' "$log"
}
check "... with the reads switched on, 99 % are served without a reference" \
	served 'the reads switched' 99
check "... with the module loaded anew, 95 %" served 'the module loaded anew' 95
