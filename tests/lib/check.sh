# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: how they say what holds.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

# The last lines of some output, as a TAP reader wants them.
remark() { tail -n 60 <<<"$1" | sed 's/^/# /'; }

# not_ok DESCRIPTION OUTPUT: also, with the end of that and of the test's own $log, to
# where scripts/test collects what it says last.
not_ok() {
	local last
	echo "not ok - $1"
	[ -n "${failures:-}" ] || return 0
	last=$([ ! -s "${log:-}" ] || tail -n 6 "$log"; tail -n 12 <<<"$2")
	# At once: two tests may have something to say.
	printf '%s\n' "not ok - $1" "$(remark "$last")" >>"$failures"
}

# check DESCRIPTION COMMAND...: ok if it exits 0; its output only if it does not.
check() {
	local what=$1 output
	shift
	if output=$("$@" 2>&1); then
		echo "ok - $what"
	else
		not_ok "$what" "$output"
		remark "$output"
	fi
}

# refuse DESCRIPTION TEXT COMMAND...: ok if it fails and says TEXT in one line.
refuse() {
	local what=$1 text=$2 output
	shift 2
	if output=$("$@" 2>&1); then
		not_ok "$what (it succeeded)" "$output"
	elif grep -q -- "$text" <<<"$output"; then
		echo "ok - $what"
	else
		not_ok "$what (it did not say '$text')" "$output"
	fi
	remark "$output"
}

# show COMMAND...: its output as remarks; its exit status is kept.
show() { "$@" 2>&1 | sed 's/^/# /'; }

vm() { "$top/scripts/boot" "$@"; }
