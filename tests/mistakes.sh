#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mistakes in use and installation: each gives one clear line and a failure.
#   - a script asked for help, or with an option it does not have (all of them)
#   - not root; too little disk; no QEMU; a version of Debian's source that the patch is not for
#   - the module: for another kernel, for hooks of another ABI, with nonsense for a
#     parameter, loaded by somebody who may not, twice, unloaded without being loaded
#   - no debugfs: not mounted, not in the kernel
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages bash-static util-linux

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# status_of COMMAND...: its exit status; what it says is in $work/out and $work/err.
status_of() {
	local rc=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || rc=$?
	echo $rc
}
said() { cat "$work/out" "$work/err"; return 1; }
helpful() {
	[ "$(status_of "$1" --help)" -eq 0 ] || said || return 1
	if [ ! -s "$work/out" ] || [ -s "$work/err" ]; then
		said
	fi
	grep -qiE 'needs|root|packages' "$work/out" || { echo "it does not say what it needs"; return 1; }
}
particular() {
	[ "$(status_of "$1" --nonsense)" -eq 2 ] || said || return 1
	if [ -s "$work/out" ] || ! grep -q "${1##*/}" "$work/err"; then
		said
	fi
}
for script in "$top"/scripts/*; do
	if [ ! -f "$script" ] || [ ! -x "$script" ]; then
		continue
	fi
	check "${script##*/} --help says how and what it needs" helpful "$script"
	check "${script##*/} --nonsense is refused with its usage" particular "$script"
done

# one_line COMMAND...: fails if that fails and says one line on stderr, as it should.
one_line() {
	local rc
	rc=$(status_of "$@")
	cat "$work/out" "$work/err"
	[ "$rc" -eq 0 ] || [ "$(wc -l <"$work/err")" -ne 1 ]
}
# Nobody may read the checkout: a copy of the scripts has to do.
cp -r "$top/scripts" "$work/"
chmod -R a+rX "$work/scripts"
as_nobody() { one_line setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"; }
refuse "top: not root" 'only root can read the statistics' as_nobody "$work/scripts/top"
refuse "estimate-gain: not root" 'only root can place probes' as_nobody "$work/scripts/estimate-gain"
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
chmod 755 "$work/bin/dpkg-query"
refuse "build-kernel: packages missing and not root" 'as root: apt-get install' \
	as_nobody PATH="$work/bin:$PATH" "$work/scripts/build-kernel" production
refuse "top: nonsense interval" "takes seconds, not 'soon'" one_line "$top/scripts/top" -d soon
refuse "top: no interval" "takes seconds, not '0'" one_line "$top/scripts/top" -d 0
refuse "soak: nonsense time" "not 'long'" one_line "$top/scripts/soak" long
refuse "soak: a kernel without hooks" "no kernel 'stock' for this" one_line "$top/scripts/soak" 9 stock
refuse "estimate-gain: nonsense time" "not 'long'" one_line "$top/scripts/estimate-gain" long

tiny() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount sh -c 'mount -t tmpfs -o size=1m tmpfs "$1" && shift && "$@"' sh "$@"
}
mkdir "$work/tiny"
# A tree that no cache has: its name follows from the packages named.
refuse "no space in the cache" 'needs 6 GiB free in .*/tiny/refless, found 0' \
	one_line tiny "$work/tiny" env XDG_CACHE_HOME="$work/tiny" "$top/scripts/build-kernel" stock-objects mm/filemap.o
sed 's/^ \tpsi_memstall_enter/ \tanother_enter/' "$top/hooks.patch" >"$work/hooks.patch"
refuse "check-patch: Debian's source has changed" 'apt install --allow-downgrades linux-source-6.12=6' \
	"$work/scripts/check-patch"

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
mkdir "$work/few"
ln -s "$(command -v env)" "$work/few/"
# What python3 is found as may be a script that wants more.
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/few/python3"
refuse "boot: no QEMU" 'qemu-system-x86_64 is missing: apt-get install qemu-system-x86' \
	one_line env PATH="$work/few" "$top/scripts/boot" "$kernel" true

# Modules that are wrong for this kernel: built with another preemption model; against
# other kernel sources; with need of what the kernel does not export.
mkdir "$work/modules"
sed 's/\(vermagic=[^ ]* SMP \)p/\1x/' "$module" >"$work/modules/another-magic.ko"
sed 's/refless_shmem_key/refless_shmem_kex/g' "$module" >"$work/modules/another-symbol.ko"
# In the table of symbols' versions, the checksum stands in the 8 bytes before the name.
python3 - "$module" "$work/modules/another-version.ko" <<'END'
import re
import sys
with open(sys.argv[1], "rb") as file:
    data = file.read()
changed, times = re.subn(rb"(?s).{8}(?=module_layout\0)", bytes(8), data, count=1)
with open(sys.argv[2], "wb") as file:
    file.write(changed)
sys.exit(times != 1)
END
cp "$("$top/scripts/build-module" production other-abi)" "$work/modules/another-abi.ko"
in_vm() {
	vm "$kernel" "mistakes.sh $*" --module "$module" --file "$work/modules" \
		--file /bin/bash-static --file "$top/scripts" --append "${append:-}"
}
check "modules, parameters and debugfs: each mistake has its line" in_vm mounted
append=debugfs=off
check "a kernel without debugfs: the module works, top says why there is nothing" in_vm off
