# SPDX-License-Identifier: GPL-2.0
# Sourced by the other scripts: where things are, how they speak, what they need.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by those who source this

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/refless
readonly top cache
readonly kernel_package=linux-source-6.12

# Progress goes to stderr, so that a script's stdout stays its result.
say() { printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# usage: print the comment block at the head of the calling script.
usage() { sed -n '3,/^$/{s/^# \{0,1\}//;p}' "$0"; }

# need_packages PACKAGE...: install the missing ones, or say which to install.
need_packages() {
	local missing=() p
	for p in "$@"; do
		dpkg-query -W -f='${Status}' "$p" 2>/dev/null |
			grep -q 'install ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -eq 0 ] && return
	[ "$(id -u)" -eq 0 ] ||
		die "missing packages; as root: apt-get install ${missing[*]}"
	say "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	mkdir -p "$cache"
	# Two tests may come at once, and a machine may be at its own upgrades.
	(
		flock 8
		apt-get -q update &&
			apt-get -qy -o DPkg::Lock::Timeout=600 install --no-install-recommends "${missing[@]}"
	) >"$cache/apt.log" 2>&1 8>"$cache/apt.lock" ||
		die "apt-get could not install ${missing[*]}; see $cache/apt.log"
}

# need_space GIB: refuse to start what would fill the disk half-way.
need_space() {
	local free_gib
	mkdir -p "$cache"
	free_gib=$(($(stat -f -c '%a * %S' "$cache") >> 30))
	[ "$free_gib" -ge "$1" ] ||
		die "needs $1 GiB free in $cache, found $free_gib; free some or set XDG_CACHE_HOME"
}

# with_progress LOG COMMAND...: run it into LOG, a line every 20 s on stderr: the
# log's last, or what the caller's function progress_note prints.
progress_note() { tail -n 1 "$1"; }
with_progress() {
	local log=$1 pid began=$SECONDS shown=$SECONDS rc=0
	shift
	# In a process group of its own, which ends with us: it would not see a ^C.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	# shellcheck disable=SC2064 # the number of now
	trap "kill -- -$pid 2>/dev/null; exit 130" INT TERM HUP
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		if [ $((SECONDS - shown)) -ge 20 ]; then
			shown=$SECONDS
			say "  ... $((SECONDS - began)) s: $(progress_note "$log" | cut -c1-70)"
		fi
	done
	wait "$pid" || rc=$?
	trap - INT TERM HUP
	return $rc
}

# What booting a VM takes, beside the kernel.
need_vm_packages() {
	need_packages qemu-system-x86 busybox-static e2fsprogs xfsprogs cpio gcc libc6-dev \
		make python3 rsync
}
