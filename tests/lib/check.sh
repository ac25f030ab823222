# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: how they say what holds.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

# The last lines of some output, as a TAP reader wants them.
remark() { tail -n 60 <<<"$1" | sed 's/^/# /'; }

# check DESCRIPTION COMMAND...: ok if it exits 0; its output only if it does not.
check() {
	local what=$1 output
	shift
	if output=$("$@" 2>&1); then
		echo "ok - $what"
	else
		echo "not ok - $what"
		remark "$output"
	fi
}

# refuse DESCRIPTION TEXT COMMAND...: ok if it fails and says TEXT in one line.
refuse() {
	local what=$1 text=$2 output
	shift 2
	if output=$("$@" 2>&1); then
		echo "not ok - $what (it succeeded)"
	elif grep -q -- "$text" <<<"$output"; then
		echo "ok - $what"
	else
		echo "not ok - $what (it did not say '$text')"
	fi
	remark "$output"
}

# show COMMAND...: its output as remarks; its exit status is kept.
show() { "$@" 2>&1 | sed 's/^/# /'; }

vm() { "$top/scripts/boot" "$@"; }
