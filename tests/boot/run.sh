#!/bin/sh
# The systemd units as systemd runs them: a system of its own is booted, in
# namespaces, with this one's files below it and nothing written to them.
#
#	run.sh BUILD PROGRAM
#
# It takes root, and a kernel that lets it mount control groups.
# SG_SYSTEMD_MUST_WORK=1 turns what would be skipped into a failure.
set -u
PROGRAM=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() {
	[ "${SG_SYSTEMD_MUST_WORK:-}" = 1 ] && {
		echo "systemd must be booted, but $1"
		exit 1
	}
	echo "ok 1 - the units # SKIP $1"
	exit 0
}

[ "$(id -u)" = 0 ] || skip "that takes root"
[ -x /lib/systemd/systemd ] || skip "there is no systemd here"
command -v curl >/dev/null || skip "there is no curl here"

top=$(mktemp -d)
group=
clean() {
	# Below it lie the groups of the system that was booted.
	[ -z "$group" ] || find "$group" -depth -type d -exec rmdir {} \; \
		2>/dev/null
	rm -rf "$top"
}
trap clean EXIT
trap 'exit 1' INT TERM
for tree in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T "$tree" 2>/dev/null)" = cgroup2fs ] || continue
	group=$tree/sandgate-boot.$$
	mkdir "$group" || skip "no control group can be made"
	break
done
[ -n "$group" ] || skip "there are no control groups of version 2"
mkdir "$top/out" "$top/system"
cp "$PROGRAM" "$top/sandgate"
cp "$root"/tools/systemd/* "$here/try.service" "$here/try.target" "$top"
cp "$here/try.sh" "$top/try"
# What looks for leaks at the end of a program must trace it, which the unit
# does not allow.
if ldd "$PROGRAM" | grep -q libasan; then
	sed -i '/^\[Service\]/a Environment=ASAN_OPTIONS=detect_leaks=0' \
		"$top"/*.service
fi
# A namespace of control groups begins at the group of who makes it.
inside() {
	sh -c 'echo 0 >"$0/cgroup.procs" && exec timeout -k 5 120 unshare \
		-m -p -f -i -u -n -C --kill-child sh "$@"' \
		"$group" "$here/boot.sh" "$top" "$1" >"$top/log" 2>&1 </dev/null
}
inside mounts ||
	skip "no system can be put together: $(tail -n 1 "$top/log")"
# It ends by switching itself off.
inside boot
cat "$top/out/said" 2>/dev/null
grep -q '^# 0 failed$' "$top/out/said" 2>/dev/null || {
	tail -n 20 "$top/log" "$top/out/journal" 2>/dev/null
	exit 1
}
