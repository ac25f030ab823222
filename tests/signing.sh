#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Module signatures, with a machine owner's key made as the README says: without
# module.sig_enforce any module loads, with it only one whose key the kernel has.
# shellcheck disable=SC2154 # cache and top: common.sh, by way of check.sh
. "$(dirname "$0")/lib/check.sh"
need_packages openssl kmod

kernel=$("$top/scripts/build-kernel" production)
module=$("$top/scripts/build-module" production)
log=$cache/signing.log
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sign() {
	cp "$module" "$work/$3.ko"
	"$kernel/scripts/sign-file" sha256 "$1" "$2" "$work/$3.ko"
}
make_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj '/CN=machine owner/' \
		-outform DER -keyout "$work/mok.key" -out "$work/mok.der"
}
signed_by() { [ "$(modinfo -F signer "$work/$1.ko")" = "$2" ]; }
loads() {
	vm "$kernel" "signing.sh $1" --cpus 1 --append "$2" --module "$work/unsigned.ko" \
		--module "$work/stranger.ko" --module "$work/own.ko" >"$log"
}

cp "$module" "$work/unsigned.ko"
check "a machine owner's key is made" make_key
check "sign-file signs with it" sign "$work/mok.key" "$work/mok.der" stranger
check "... which modinfo shows" signed_by stranger 'machine owner'
check "sign-file signs with the key that the kernel was built with" \
	sign "$kernel/certs/signing_key.pem" "$kernel/certs/signing_key.x509" own
show modinfo -F signer "$work/own.ko"
check "any module loads, signed or not" loads any ''
show cat "$log"
check "module.sig_enforce=1: only one with a key that the kernel has" \
	loads enforced module.sig_enforce=1
show cat "$log"
