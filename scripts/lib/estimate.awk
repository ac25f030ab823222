# SPDX-License-Identifier: GPL-2.0
# What estimate-gain saw, as lines of standard input, into its report:
#   before|after PROBE HITS       how often each probe was met in all
#   mount MAJOR:MINOR TYPE DIR    /proc/self/mountinfo
#   open DEV INODE PATH           what processes have open; DEV as stat(1) has it
#   window BEGAN ENDED            seconds; then the window's events:
#   PROBE CPU TIME NAME=VALUE...  dev, ino, mode, end (size of the file), pos, size
# A page is 4096 bytes of a file; folios may be larger, so pages that many CPUs read
# are a lower bound of folios that they do.

function grouped(n,    text, rest) {
	text = sprintf("%.0f", n)
	while (length(text) > 3) {
		rest = "," substr(text, length(text) - 2) rest
		text = substr(text, 1, length(text) - 3)
	}
	return text rest
}

# Little is not nothing: below one per cent with a decimal.
function percent(part, whole,    share) {
	share = whole ? 100 * part / whole : 0
	return sprintf(share > 0 && share < 1 ? "%.1f %%" : "%.0f %%", share)
}
function line(name, text) { printf "%-12s%s\n", name, text }
function per_second(probe) { return (after[probe] - before[probe]) / watched }

# The kernel's number of a device, from the one that stat(1) prints.
function kernel_dev(dev) {
	return (int(dev / 256) % 4096) * 1048576 + dev % 256 + int(dev / 1048576) * 256
}

function size_class(bytes) {
	return bytes <= 64 ? 1 : bytes <= 512 ? 2 : bytes <= 4096 ? 3 : bytes <= 65536 ? 4 : 5
}

# What the read of a file system costs besides the folio's reference.
function verdict(type) {
	if (type == "xfs" || type == "block" || type ~ /^nfs/ || type == "ocfs2" || type == "gfs2")
		return "small gain: each read also takes a lock of the file"
	return "full gain"
}
function takes_lock(type) { return verdict(type) != "full gain" }

$1 == "before" { before[$2] = $3; next }
$1 == "after" { after[$2] = $3; next }
$1 == "mount" {
	split($2, number, ":")
	dev = number[1] * 1048576 + number[2]
	type_of[dev] = $3
	if (!(dev in mounted) || length($4) < length(mounted[dev]))
		mounted[dev] = $4
	next
}
$1 == "open" && NF > 3 {
	path[kernel_dev($2) ":" $3] = substr($0, length($1 $2 $3) + 4)
	next
}
$1 == "open" { next }
$1 == "window" { windows++; window_seconds += $3 - $2; next }
{
	delete value
	for (i = 4; i <= NF; i++)
		if (split($i, pair, "=") == 2)
			value[pair[1]] = pair[2]
}
$1 == "direct" { directs++; direct_writes += value["write"]; next }
$1 != "filemap" && $1 != "shmem" { next }
{
	file = value["dev"] ":" value["ino"]
	block = int(value["mode"] / 4096) == 6
	type = $1 == "shmem" ? "tmpfs" : block ? "block" : (value["dev"] in type_of) ? type_of[value["dev"]] : "unknown"
	pos = value["pos"]
	end = pos + value["size"]
	if (!block && end > value["end"])
		end = value["end"]
	bytes = end > pos ? end - pos : 0
	page = file ":" int(pos / 4096)

	reads++
	all_bytes += bytes
	sizes[size_class(bytes)]++
	file_type[file] = type
	file_reads[file]++
	type_reads[type]++
	page_reads[page]++
	page_file[page] = file

	# Went back to bytes that were read before: what makes refless serve a folio.
	again = (page in page_end) && pos < page_end[page]
	page_end[page] = end
	if (again) {
		agains++
		file_again[file]++
		type_again[type]++
	}
	# Between windows nobody knows who read it.
	if (page_window[page] == windows) {
		pairs++
		file_pairs[file]++
		type_pairs[type]++
		if (page_cpu[page] != $2) {
			moves++
			file_moves[file]++
			type_moves[type]++
			page_moves[page]++
			if (again && !takes_lock(type))
				saved_moves++
		}
	}
	page_window[page] = windows
	page_cpu[page] = $2
}

function show_types(    shown, best, type) {
	for (shown = 0; shown < 5; shown++) {
		best = ""
		for (type in type_reads)
			if (!(type in done) && (best == "" || type_reads[type] > type_reads[best]))
				best = type
		if (best == "")
			return
		done[best] = 1
		line(shown ? "" : "on", sprintf("%-8s %5s of reads, again %s, other CPU %s: %s", best, \
			percent(type_reads[best], reads), percent(type_again[best], type_reads[best]), \
			percent(type_moves[best], type_pairs[best]), verdict(best)))
	}
}

function name_of(file,    number) {
	if (file in path)
		return path[file]
	split(file, number, ":")
	return "inode " number[2] " on " (number[1] in mounted ? mounted[number[1]] : "device " int(number[1] / 1048576) ":" number[1] % 1048576) \
		" (closed since)"
}

function show_files(    shown, best, file) {
	for (shown = 0; shown < 10; shown++) {
		best = ""
		for (file in file_reads)
			if (!(file in done) && (best == "" || file_reads[file] > file_reads[best]))
				best = file
		if (best == "")
			return
		done[best] = 1
		line(shown ? "" : "files", sprintf("%5s of reads, again %s, other CPU %s: %s", \
			percent(file_reads[best], reads), percent(file_again[best], file_reads[best]), \
			percent(file_moves[best], file_pairs[best]), name_of(best)))
	}
}

# The page whose cache line moves most: how busy is the line, if a move takes so long?
function find_busiest(    page) {
	for (page in page_moves)
		if (busiest == "" || page_moves[page] > page_moves[busiest])
			busiest = page
	busy = busiest == "" ? 0 : page_moves[busiest] / window_seconds * 2 * ns_per_transfer / 1e9
}

function show_estimate(rate,    now_ns, saved_ns) {
	now_ns = ns_per_read + all_bytes / reads / bytes_per_ns + moves / reads * 2 * ns_per_transfer
	saved_ns = agains / reads * ns_saved_per_read + saved_moves / reads * 2 * ns_per_transfer
	now_cpus = rate * now_ns / 1e9
	saved_cpus = rate * saved_ns / 1e9
	line("assumed", "a read takes " ns_per_read " ns, 1 ns for " bytes_per_ns " bytes, and " 2 * ns_per_transfer \
		" ns if its page was last read on another CPU;")
	line("", "refless saves " ns_saved_per_read " ns of a read of what was read before, and the " \
		2 * ns_per_transfer " ns unless the file has a lock")
	line("estimate", sprintf("%.2f of %d CPUs are in these reads; refless would save %.2f, %s of that", \
		now_cpus, cpus, saved_cpus, percent(saved_ns, now_ns)))
	saved_share = saved_ns / now_ns
	if (busy >= 0.1)
		line("", sprintf("the cache line of one page is under way %s of the time: %s", percent(busy, 1), name_of(page_file[busiest])))
}

function show_answer(rate) {
	if (rate < 1000)
		return "nothing to gain: hardly any reads"
	if (busy >= 0.5 && !takes_lock(file_type[page_file[busiest]]))
		return "worth measuring: one page's cache line holds its readers up"
	if (saved_cpus >= 0.05 && saved_share >= 0.1)
		return "worth measuring"
	if (agains < reads / 10)
		return "nothing to gain: few reads go back to what was read before"
	return "little to gain"
}

END {
	rate = per_second("filemap") + per_second("shmem")
	line("watched", sprintf("%.1f s on %d CPUs, kernel %s; looked at %s reads in %d windows, %.3f s in all", \
		watched, cpus, release, grouped(reads), windows, window_seconds))
	line("reads", grouped(rate) "/s: " grouped(per_second("filemap")) " by filemap_read(), " grouped(per_second("shmem")) " of tmpfs")
	if (directs)
		direct = per_second("direct") * (1 - direct_writes / directs)
	else
		direct = per_second("direct")
	line("not served", grouped(direct) " reads/s by O_DIRECT, " grouped(per_second("splice")) " splices/s, " \
		grouped(per_second("fault")) " faults/s of mapped files")
	if (!reads) {
		line("answer", "nothing to gain: no reads")
		exit
	}
	line("sizes", sprintf("up to 64 bytes %s, 512 %s, 4 KiB %s, 64 KiB %s, more %s", percent(sizes[1], reads), \
		percent(sizes[2], reads), percent(sizes[3], reads), percent(sizes[4], reads), percent(sizes[5], reads)))
	line("again", percent(agains, reads) " of reads went back to what was read before: refless would serve these")
	line("other CPU", percent(moves, pairs) " of reads of a page just read came from another CPU: refless would speed these up")
	show_types()
	show_files()
	find_busiest()
	show_estimate(rate)
	line("answer", show_answer(rate))
}
