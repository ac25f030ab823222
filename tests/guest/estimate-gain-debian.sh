#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/estimate-gain on Debian's own kernel, which has no hooks.
uname -r
grep -qw refless_hook_abi /proc/kallsyms && { echo "this kernel has the hooks"; exit 1; }
preadbench /srv/bench 2 16 same 100 >/dev/null &
bash /refless/scripts/estimate-gain 3 >/tmp/report 2>&1 || failed=1
kill $!
cat /tmp/report
again=$(sed -n 's,.*again \([0-9]*\) %.*: /srv/bench$,\1,p' /tmp/report)
[ "${again:-0}" -ge 95 ] || { echo "again: ${again:-nothing}, expected 95"; failed=1; }
[ -z "$(cat /sys/kernel/tracing/kprobe_events)" ] || { echo "probes are left"; failed=1; }
exit "${failed:-0}"
