# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# The systemd unit: hardened, and still able to build boxes.  `make ci` sets
# SG_SYSTEMD_MUST_WORK=1, so that no skip passes for a test.

unit=$root/tools/systemd/sandgate.service
if command -v systemd-analyze >/dev/null 2>&1; then
	# As it is installed: its program must be there.
	mkdir units
	sed "s|/usr/local/bin/sandgate|$SANDGATE|" "$unit" \
		>units/sandgate.service
	cp "$root/tools/systemd/sandgate.socket" units
	what="systemd takes the units"
	systemd-analyze verify --man=no units/sandgate.service \
		units/sandgate.socket >verify.out 2>&1
	grep sandgate verify.out >said
	if [ -s said ]; then fail "$(cat said)"; else pass; fi
	if systemd-analyze security --help | grep -q -e --offline; then
		yes "hardened enough to be called OK" \
			systemd-analyze security --offline=true --no-pager \
			--threshold=50 units/sandgate.service
	fi
	if [ -n "$box" ]; then
		yes "scripts run as the unit has it" \
			python3 "$here/unit.py" "$unit" "$SANDGATE"
	fi
	if [ -n "$box" ] && [ "$(id -u)" = 0 ] && [ -x /usr/bin/python3 ] &&
		unshare -m mount -t tmpfs tmpfs /mnt 2>/dev/null; then
		yes "and where the unit lets them see no more than it must" \
			unshare -m sh "$here/walls.sh" "$unit" "$SANDGATE"
	fi
elif [ "${SG_SYSTEMD_MUST_WORK:-}" = 1 ]; then
	what="the unit"
	fail "there is no systemd-analyze here, and must be"
else
	echo "ok 1 - the systemd unit # SKIP there is no systemd-analyze here"
fi
what="the server waits less for its end than systemd does"
if awk -F= '$1 == "TimeoutStopSec" { exit !($2 > 30) }' "$unit"; then
	pass
else
	fail "TimeoutStopSec"
fi
