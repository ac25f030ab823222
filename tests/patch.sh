#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# hooks.patch applies, is what update-patch makes, costs nothing when off, and
# the VM's configuration is Debian's where it matters.
. "$(dirname "$0")/lib/check.sh"

check "hooks.patch applies without fuzz, in budget" "$top/scripts/check-patch"
show "$top/scripts/check-patch"
check "symbol off: the object code of the unpatched kernel" "$top/scripts/compare-objects"
show "$top/scripts/compare-objects"
check "the VM kernel's configuration is Debian's in what is measured" "$top/scripts/compare-config"
