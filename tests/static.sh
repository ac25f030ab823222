#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What can be known without running: style, types, warnings, shell.
. "$(dirname "$0")/lib/check.sh"
need_packages shellcheck sparse clang lld llvm git

kernel=$("$top/scripts/build-kernel" production)
# The hooks, and what else they touch that may be inlined into.
clang=$("$top/scripts/build-kernel" clang-objects mm/refless.o mm/filemap.o mm/shmem.o mm/page_alloc.o)
cd "$top" || exit 1
mapfile -t sources < <(git ls-files '*.c' '*.h')
mapfile -t kernel_sources < <(git ls-files 'module/*.[ch]')
mapfile -t user_sources < <(git ls-files 'tests/*.[ch]')
mapfile -t shells < <(git grep -lE '^#!/bin/(ba)?sh'; git ls-files '*/lib/*.sh')
mapfile -t scripts < <(git grep -l '^#!/usr/bin/env python3'; git ls-files 'scripts/lib/*.py')

# FILE_PATH_CHANGES is about MAINTAINERS.
checkpatch() {
	local ignore=FILE_PATH_CHANGES${1:+,$1}
	shift
	perl "$kernel/scripts/checkpatch.pl" --strict --no-tree --terse --no-summary \
		--max-line-length=100 --no-signoff --ignore "$ignore" "$@"
}
check "checkpatch --strict: module" checkpatch "" -f "${kernel_sources[@]}"
# What the kernel's own headers offer is not there in user space.
check "checkpatch --strict: tests" checkpatch \
	PREFER_KERNEL_TYPES,AVOID_EXTERNS,VOLATILE,STRCPY,EMBEDDED_FUNCTION_NAME,CAMELCASE,LINE_SPACING,PREFER_ALIGNED,BIT_MACRO \
	-f "${user_sources[@]}"
# A tracked file would be checked as source. The flag table's idiom is a macro that
# begins with a comma; the hooks' one defines functions; free_unref_folios() is
# exported from the hooks' own file.
patch_copy=$(mktemp)
trap 'rm -f "$patch_copy"' EXIT
cp hooks.patch "$patch_copy"
check "checkpatch --strict: hooks.patch" checkpatch \
	COMPLEX_MACRO,SPACING,MACRO_ARG_UNUSED,EXPORT_SYMBOL,MULTISTATEMENT_MACRO_USE_DO_WHILE \
	"$patch_copy"
check "shellcheck" shellcheck -x --source-path=SCRIPTDIR "${shells[@]}"
compile() { for file in "${scripts[@]}"; do python3 -m py_compile "$file"; done; }
PYTHONDONTWRITEBYTECODE=1 check "Python compiles" compile

# A build with each checker; its warnings are in files of ours only.
build_with() {
	local out tree=$1
	shift
	out=$(mktemp -d)
	cp -r "$top/Kbuild" "$top/module" "$out/"
	make -C "$tree" M="$out" "$@" modules >"$out/log" 2>&1 || { cat "$out/log"; rm -rf "$out"; return 1; }
	! grep -E '(warning|error):' "$out/log"
	local clean=$?
	rm -rf "$out"
	return $clean
}
check "W=1" build_with "$kernel" CC=gcc W=1
check "sparse" build_with "$kernel" CC=gcc C=2
check "the test build, W=1 and sparse" build_with "$kernel" CC=gcc W=1 C=2 REFLESS_TEST_FAULTS=1
# That tree has no vmlinux to resolve symbols against; modpost warns of each.
clang_objects() { build_with "$clang" LLVM=1 W=1 KBUILD_MODPOST_WARN=1 KBUILD_MODPOST_NOFINAL=1; }
check "clang, W=1" clang_objects

without_spdx() {
	local file
	for file in "${sources[@]}" "${shells[@]}" "${scripts[@]}" Kbuild dkms.conf; do
		head -n 2 "$file" | grep -q SPDX || { echo "$file"; return 1; }
	done
}
check "each file begins with its licence" without_spdx
