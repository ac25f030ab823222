#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# record.sh STATES CASE...: what scripts/record-accesses runs. STATES is "off", "on" or
# "off on" (the module); a CASE is FILE-SYSTEM:BYTES:HOW:READS, see recordreads.
states=$1
shift
cases=$*

file_of() {
	case $1 in
	blockdev) echo /dev/vdb ;;
	*) echo "/$1/recorded" ;;
	esac
}
insmod /lines.ko || exit 1
for state in $states; do
	if [ "$state" = on ]; then
		insmod /refless.ko || exit 1
	fi
	for case in $cases; do
		# shellcheck disable=SC2046 # the words of a case
		set -- $(echo "$case" | tr : ' ')
		echo "case $state-$1-$2-$3"
		recordreads "$(file_of "$1")" "$2" "$3" "$4" || exit 1
	done
done
echo "symbols"
grep '\[refless\]' /proc/kallsyms
exit 0
