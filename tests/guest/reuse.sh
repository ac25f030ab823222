#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# reuse.sh ROUNDS HOW...: page cache memory changes hands while a reader without a
# reference is held over it. HOW is one of the program's, "-MUTANT" after it takes
# a guard away: a fault_ parameter of the module's test build, or where unflag.ko
# clears the flag. For each a line: "HOW STATUS ...", 0 if reads were right.
rounds=$1
shift
echo 256M >/sys/block/zram0/disksize && mkswap /dev/zram0 >/dev/null && swapon /dev/zram0
mkdir -p /fuse /f2fs /nilfs2
[ ! -e /dev/vdc ] || mount -t f2fs /dev/vdc /f2fs || exit 1
[ ! -e /dev/vdd ] || mount -t nilfs2 /dev/vdd /nilfs2 || exit 1
insmod /refless.ko || exit 1

arguments() {
	case $1 in
	swap | migrate | collapse) echo /tmpfs/file "$rounds" ;;
	split) echo /huge/file "$rounds" ;;
	order) echo /xfs/file "$rounds" ;;
	steal) echo /ext4/file "$rounds" /dev/vport0p2 ;;
	fuse) echo /ext4/file "$rounds" /fuse/f ;;
	abort | replace) echo /f2fs/file "$rounds" ;;
	drop) echo /nilfs2/file "$rounds" ;;
	esac
}

for case in "$@"; do
	how=${case%%-*}
	mutant=
	[ "$how" = "$case" ] || mutant=${case#*-}
	case $mutant in
	'') ;;
	fault_*) echo 1 >/sys/module/refless/parameters/"$mutant" ;;
	*) insmod /unflag.ko at="$mutant" || exit 1 ;;
	esac
	server=
	if [ "$how" = fuse ]; then
		reuse drop /ext4/file 1 >/dev/null
		echo >/ext4/file
		fuse-move /ext4/file /fuse &
		server=$!
		until [ -e /fuse/f ]; do sleep 0.1; done
	fi
	# shellcheck disable=SC2046 # several arguments
	said=$(reuse ${mutant:+-f} "$how" $(arguments "$how") 2>&1)
	echo "$case $? $said"
	if [ "$server" ]; then
		kill $server
		umount -l /fuse
	fi
	case $mutant in
	'') ;;
	fault_*) echo 0 >/sys/module/refless/parameters/"$mutant" ;;
	*)
		echo "# flags cleared: $(cat /sys/module/unflag/parameters/cleared)"
		rmmod unflag
		;;
	esac
done
grep -E 'pages_deferred|folios_flagged' /sys/kernel/debug/refless/summary
rmmod refless
