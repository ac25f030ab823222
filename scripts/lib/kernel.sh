# SPDX-License-Identifier: GPL-2.0
# Sourced by what builds kernels: the source, the patch, a build that can be repeated.
# shellcheck shell=bash
# shellcheck disable=SC2154 # kernel_package: common.sh

kernel_version() {
	dpkg-query -W -f='${Version}' "$kernel_package"
}

# unpack_kernel TREE PATCH: Debian's source with the patch, which has to fit exactly.
unpack_kernel() {
	rm -rf "$1"
	mkdir -p "$1"
	tar -xf "/usr/src/$kernel_package.tar.xz" -C "$1" --strip-components=1
	[ "$2" = /dev/null ] || patch -d "$1" -p1 -F0 -s <"$2" >/dev/null || {
		rm -rf "$1"
		die "hooks.patch does not apply: $(patch_remedy)"
	}
}

# What to do about a version of Debian's source in which the hooks' places have changed.
patch_remedy() {
	local made_for
	made_for=$(sed -n "s/^Made for $kernel_package //p" "$top/hooks.patch")
	echo "it is for $made_for, here is $(kernel_version):" \
		"apt install --allow-downgrades $kernel_package=$made_for"
}

# With the date or the machine in it, each build would differ from the last.
repeatable_build() {
	export KBUILD_BUILD_TIMESTAMP='1970-01-01' KBUILD_BUILD_USER=refless \
		KBUILD_BUILD_HOST=refless KBUILD_BUILD_VERSION=1
}
