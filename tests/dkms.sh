#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# DKMS, with trees of its own: installs for a kernel with the hooks, passes over
# one without, and leaves nothing behind.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages dkms

# In a mount namespace of its own, so that /lib/modules can be another directory.
if [ "${1:-}" != in-namespace ]; then
	exec unshare --mount bash "$0" in-namespace
fi

hooked=$("$top/scripts/build-kernel" production)
plain=$("$top/scripts/build-kernel" stock-objects mm/filemap.o)
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf")
release=$(cat "$hooked/include/config/kernel.release")
work=$(mktemp -d)
made=
[ -d /lib/modules ] || { mkdir /lib/modules && made=/lib/modules; }
trap 'umount /lib/modules; ${made:+rmdir $made}; rm -rf "$work"' EXIT
mkdir -p "$work/src/refless-$version" "$work/tree" "$work/modules/$release" "$work/modules/plain"
cp -r "$top/Kbuild" "$top/module" "$top/dkms.conf" "$work/src/refless-$version/"
ln -s "$hooked" "$work/modules/$release/build"
ln -s "$plain" "$work/modules/plain/build"
touch "$work/modules/$release/modules."{order,builtin}
mount --bind "$work/modules" /lib/modules

in_own_trees() { dkms "$@" --dkmstree "$work/tree" --sourcetree "$work/src"; }
run() { in_own_trees "$1" refless/"$version" -k "$2"; }
autoinstall() { in_own_trees autoinstall -k "$1"; }
says_skips() { autoinstall plain 2>&1 | tee "$work/said" && grep -q 'nothing to build for it' "$work/said"; }
installed() { find "$work/modules/$release" -name 'refless.ko*' | grep -q .; }
same_version() { grep -q "MODULE_VERSION(\"$version\")" "$top/module/main.c"; }

check "dkms.conf and the module have the same version" same_version
check "dkms add" run add "$release"
check "dkms build for a kernel with the hooks" run build "$release"
check "dkms install" run install "$release"
check "the module is where depmod finds it" installed
refuse "dkms build for a kernel without the hooks" 'has no CONFIG_REFLESS_HOOKS' \
	run build plain
check "dkms autoinstall passes over that kernel and says so" says_skips
check "dkms uninstall" run uninstall "$release"
# A module that was built once is put back without another build.
mkdir -p "$work/packed/include/config"
cp "$hooked/include/config/auto.conf" "$work/packed/include/config/"
ln -sfn "$work/packed" "$work/modules/$release/build"
check "dkms autoinstall for a kernel with the hooks, whose headers have no .config" \
	autoinstall "$release"
check "... installs it again" installed
check "dkms remove" in_own_trees remove refless/"$version" --all
gone() { ! installed; }
check "... takes the module away" gone
