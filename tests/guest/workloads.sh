#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# workloads.sh SECONDS MODULE [PARAMETER=VALUE...]: programs that people run, without
# the module and with it, on the same files. What each prints about what it read goes
# to a file, and the two have to be the same; its own checks have to pass. A round
# takes as long as it takes; rounds follow one another until SECONDS are over. In all
# but the first, the page cache is dropped over and over.
set -u
seconds=$1
module=$2
shift 2
parameters=("$@")
data=/var/tmp/workloads
stats=/sys/kernel/debug/refless

# As its rows say: the database's blocks come from the page cache, not its own.
postgres_options='-c shared_buffers=1MB -c fsync=off -c autovacuum=off -c jit=off'

prepare() {
	mkdir -p $data/www $data/out
	prepare_fio && prepare_sqlite && prepare_postgres && prepare_nginx
}

fio_job() {
	fio --name=read --filename=$data/fio --size=8m --bs=4k \
		--verify=crc32c --verify_fatal=1 --randseed=7 --output-format=terse \
		--invalidate=0 --fallocate=none --overwrite=1 "$@"
}
# The blocks' checksums are written here, read and checked in each round.
prepare_fio() { fio_job --rw=write --do_verify=0 --ioengine=psync >/dev/null; }
# Fields 5 and 6: the error and KiB read.
run_fio() {
	local engine
	for engine in psync pvsync2 libaio io_uring mmap; do
		fio_job --rw=randread --numjobs=2 \
			--ioengine=$engine | awk -F';' -v e=$engine '{ print e, "error", $5, "KiB", $6 }'
	done
}

prepare_sqlite() {
	sqlite3 $data/db 'CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, v TEXT);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO t SELECT i, (i * 7919) % 10007, hex(i * 2654435761) || "-" || i FROM n;
		CREATE INDEX k ON t (k);'
}
sqlite_reader() {
	local i
	# A page cache of its own of ten pages, so that it reads again and again.
	for i in 1 2 3; do
		echo "SELECT sum(length(v)), max(v), min(v) FROM t;
			SELECT count(*), sum(id) FROM t WHERE k BETWEEN $i * 100 AND $i * 400;"
	done | sqlite3 -cmd 'PRAGMA cache_size = 10; PRAGMA mmap_size = 0;' $data/db
	echo 'PRAGMA integrity_check;' | sqlite3 $data/db
}
run_sqlite() {
	local reader
	for reader in 1 2 3 4; do
		sqlite_reader >$data/sqlite.$reader 2>&1 &
	done
	wait
	cat $data/sqlite.?
}

as_postgres() (
	cd $data/pg && exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
)
bin=$(echo /usr/lib/postgresql/*/bin)
prepare_postgres() {
	mkdir $data/pg && chown postgres: $data/pg &&
		as_postgres "$bin/initdb" -D $data/pg/data -A trust -N --locale=C >/dev/null &&
		start_postgres &&
		as_postgres pgbench -h $data/pg -i -q -s 1 >/dev/null 2>&1 &&
		stop_postgres
}
start_postgres() {
	as_postgres "$bin/pg_ctl" -D $data/pg/data -w -s -l $data/pg/log \
		-o "-k $data/pg -c listen_addresses= $postgres_options" start
}
stop_postgres() { as_postgres "$bin/pg_ctl" -D $data/pg/data -w -s -m fast stop; }
run_postgres() {
	start_postgres || return
	as_postgres pgbench -h $data/pg -n -S -M prepared -c 4 -j 2 -t 150 postgres 2>&1 |
		grep -E '^number of (transactions|failed)'
	as_postgres psql -h $data/pg -Atc "SELECT count(*), sum(abalance),
		md5(string_agg(aid::text || filler, ',' ORDER BY aid)) FROM pgbench_accounts
		WHERE aid % 10 = 0" postgres
	stop_postgres
}

run_git() {
	cd /srv/tree || return
	git fsck --full --strict --no-progress 2>&1
	git status --porcelain
	git grep -c -e 'import' | sha256sum
	git archive HEAD | sha256sum
	cd /
}

prepare_nginx() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		head -c $((i * i * 1500)) /dev/urandom >$data/www/$i
	done
	(cd $data/www && sha256sum -- *) >$data/www.sha256
}
serve_nginx() {
	cat >$data/nginx.conf <<-END
		worker_processes 2;
		error_log $data/nginx.log;
		pid $data/nginx.pid;
		user root;
		events { }
		http { server { listen 127.0.0.1:8080; root $data/www; sendfile $1; access_log off; } }
	END
	nginx -c $data/nginx.conf
}
run_nginx() {
	local i sendfile
	for sendfile in off on; do
		serve_nginx $sendfile || return
		mkdir $data/fetched
		for i in 1 2 3 4 5 6 7 8; do
			curl -s -o $data/fetched/$i http://127.0.0.1:8080/$i
		done
		(cd $data/fetched && sha256sum -c ../www.sha256)
		ab -q -n 400 -c 4 -k http://127.0.0.1:8080/3 2>&1 |
			grep -E '^(Complete|Failed|Non-2xx|HTML|Document Length)'
		nginx -c $data/nginx.conf -s quit 2>/dev/null
		while [ -e $data/nginx.pid ]; do sleep 0.1; done
		rm -r $data/fetched
	done
}

# Each stressor checks what it reads; a wrong byte is a failure of its own. NAME=OPERATIONS;
# the last two take long, and come from the second round on.
stressors=(hdd=100 readahead=20 copy-file=2 sendfile=40 splice=400 sync-file=2 fallocate=2
	seek=2000 iomix=40 revio=40 msync=40 memfd=2 shm=2 vm-rw=2)
slow_stressors=(mmap=2 tmpfs=2)
run_stress() {
	local name options=(--verify --timeout "$stress_limit" --temp-path "$data" --mmap-file
		--hdd-bytes 2m --readahead-bytes 4m --seek-size 4m --mmap-bytes 4m --iomix-bytes 2m
		--fallocate-bytes 4m --sync-file-bytes 1m --memfd-bytes 4m --msync-bytes 1m
		--revio-bytes 2m --shm-bytes 4m)
	for name in "${stressors[@]}"; do
		stress-ng --"${name%=*}" 2 --"${name%=*}"-ops "${name#*=}" "${options[@]}" \
			>$data/stress.log 2>&1
		echo "stress-ng ${name%=*}: exit $?"
		grep -iE 'fail|mismatch|corrupt' $data/stress.log
	done
}

workloads=(fio sqlite postgres git nginx stress)

# run STATE: each workload, into a file of its own; what took how long to stdout.
run() {
	local name began
	for name in "${workloads[@]}"; do
		began=${EPOCHREALTIME/./}
		"run_$name" >"$data/out/$name.$1" 2>&1
		echo "# $name, module $1: $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
	done
}

# What would be the same with each, and wrong all the same.
bad_result() {
	grep -nE 'error [1-9]|[Ff]ailed [a-z]+: +[1-9]|FAILED|exit [1-9]|Non-2xx|ERROR' "$1" ||
		grep -niE 'corrupt|mismatch|missing|dangling|timed out|no such|cannot|fail:' "$1"
}

compare() {
	local name status=0
	for name in "${workloads[@]}"; do
		if ! cmp -s "$data/out/$name.off" "$data/out/$name.on"; then
			echo "$name: the output differs"
			diff "$data/out/$name.off" "$data/out/$name.on" | head -n 20
			status=1
		elif [ ! -s "$data/out/$name.on" ] || bad_result "$data/out/$name.on"; then
			echo "$name: no result, or a bad one:"
			head -n 40 "$data/out/$name.on"
			status=1
		fi
	done
	return $status
}

served() { echo $(($(cat $stats/filemap_reads) + $(cat $stats/tmpfs_reads))); }

round() {
	run off
	insmod "$module" "${parameters[@]}" || return
	run on
	served=$(served)
	cat $stats/summary >$data/summary
	rmmod refless || return
	echo "# reads served without a reference: $served"
	[ "$served" -gt 1000 ] || { echo "the module served next to nothing"; return 1; }
	compare
}

keep_dropping() {
	while sleep 0.5; do
		echo 1 >/proc/sys/vm/drop_caches
	done
}

mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
trap 'kill $(jobs -p) 2>/dev/null' EXIT
# Far more than a stressor takes; it ends by its number of operations.
stress_limit=$((60 + seconds))
prepare >$data.log 2>&1 || { cat $data.log; exit 1; }
echo "# prepared after $SECONDS s"
rounds=0
until [ $rounds -gt 0 ] && [ $SECONDS -ge "$seconds" ]; do
	round || exit 1
	rounds=$((rounds + 1))
	if [ $rounds -eq 1 ]; then
		keep_dropping &
		stressors+=("${slow_stressors[@]}")
	fi
done
sed 's/^/# /' $data/summary
echo "rounds of all workloads, off and on with the same results: $rounds"
