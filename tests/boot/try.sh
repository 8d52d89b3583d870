#!/bin/sh
# What is tried in the system that run.sh boots.
exec >/out/said 2>&1
set -u
number=0
failed=0
cd /out || exit 1

yes() {
	what=$1
	shift
	number=$((number + 1))
	if "$@" >out 2>&1; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what: $*"
		tail -n 12 out
		failed=$((failed + 1))
	fi
}

ask() {
	curl -sS -m 60 --unix-socket /run/sandgate.sock "$@"
}

run() {
	ask --json '{"code":"print(6 * 7)"}' http://localhost/v1/run >result &&
		grep -q '"stdout":"42\\n"' result
}

group() {
	pid=$(systemctl show -p MainPID --value sandgate.service)
	cat "/proc/$pid/cgroup"
	grep -q "^0::/system.slice/sandgate.service/server$" "/proc/$pid/cgroup"
}

somebody() {
	pid=$(systemctl show -p MainPID --value sandgate.service)
	[ "$(stat -c %U "/proc/$pid")" = sandgate ] &&
		! getent passwd sandgate | grep -q :0:
}

in_force() {
	journalctl -u sandgate.service --no-pager | grep -c 'is in force'
}

reloaded() {
	before=$(in_force)
	systemctl reload sandgate.service
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(in_force)" -gt "$before" ] && return 0
		sleep 0.2
	done
	return 1
}

result_is() {
	[ "$(systemctl show -p Result --value sandgate.service)" = "$1" ] &&
		[ "$(systemctl is-active sandgate.service)" = "$2" ]
}

yes "nothing runs before somebody asks" result_is success inactive
yes "the socket starts the server" run
yes "which is up" result_is success active
yes "as a user of its own" somebody
yes "in a group of its own below the one that it was given" group
yes "a second script runs" run
yes "in a box with all walls but those of control groups" \
	sh -c '! grep -o "\"name\":\"[^\"]*\",\"state\":\"[^a][^\"]*\"" result |
		grep -v "memory limit\|process limit"'
yes "the log is where the unit says" \
	sandgate audit verify /var/log/private/sandgate/audit.jsonl
yes "and nobody else's" \
	sh -c 'stat -c "%U %a" /var/log/private/sandgate | grep "sandgate 700"'
yes "a reload loads the policy" reloaded
yes "a stop is its end" systemctl stop sandgate.service
yes "and a clean one" result_is success inactive
yes "the socket starts it again" run
yes "the chain goes on" \
	sandgate audit verify /var/log/private/sandgate/audit.jsonl
journalctl -b --no-pager >journal 2>&1
echo "1..$number"
echo "# $failed failed"
