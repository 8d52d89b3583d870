#!/bin/sh
# The official conformance suite over HTTP: against the program, the scenarios
# that need no tools of the suite's own; against the fixture, all that each
# revision of the protocol requires.  expected-failures.yaml says which four of
# the older one can't pass, and why; one of them that passes is a failure, too.
#
#	conformance.sh		with CLIENTS, NODE, BUILD, SANDGATE, TOP (a
#				folder for scratch) in the environment
set -u
here=$(cd "$(dirname "$0")" && pwd)
failed=0
pids=
# shellcheck disable=SC2317 # by the trap
stop() {
	for pid in $pids; do
		kill "$pid" 2>/dev/null
	done
}
trap stop EXIT

# start NAME COMMAND...: sets url to where it says that it listens.
start() {
	log=$TOP/$1.log
	shift
	"$@" >"$log" 2>&1 &
	pids="$pids $!"
	url=
	for _ in $(seq 300); do
		url=$(sed -n 's|.*\(http://[0-9.:]*\).*|\1|p' "$log" | head -n 1)
		[ -n "$url" ] && break
		sleep 0.1
	done
	[ -n "$url" ] && return
	echo "not ok a server for the suite starts"
	sed 's/^/  /' "$log"
	exit 1
}

suite() {
	"$NODE" "$CLIENTS/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
		server --url "$url/mcp" "$@"
}

# one REVISION SCENARIO: each of its checks is good.
one() {
	out=$TOP/conformance.out
	if suite --scenario "$2" --spec-version "$1" >"$out" 2>&1; then
		echo "ok program, $1: $2"
	else
		echo "not ok program, $1: $2"
		sed 's/\x1b\[[0-9;]*m//g' "$out" | grep -E 'FAIL|Error:' |
			cut -c 1-300 | sed 's/^/  /'
		failed=1
	fi
}

# all REVISION [OPTION...]: what it requires.
all() {
	out=$TOP/conformance.out
	if suite --requirements "$@" -o "$TOP/results-$1" >"$out" 2>&1; then
		# The scenarios that passed, one a line.
		sed 's/\x1b\[[0-9;]*m//g' "$out" |
			sed -n 's/^[^a-z]*✓ \([a-z0-9-]*\): \([0-9]*\) passed, 0 failed.*/ok fixture, '"$1"': \1, \2 checks/p'
	else
		echo "not ok fixture, $1"
		sed 's/\x1b\[[0-9;]*m//g' "$out" | tail -n 60 |
			cut -c 1-300 | sed 's/^/  /'
		failed=1
	fi
}

start serve "$SANDGATE" serve --listen 127.0.0.1:0 --no-audit
for scenario in http-header-validation dns-rebinding-protection \
	sep-2164-resource-not-found tools-list server-sse-multiple-streams; do
	one 2026-07-28 $scenario
done
for scenario in server-initialize ping tools-list dns-rebinding-protection \
	server-session-lifecycle server-sse-multiple-streams; do
	one 2025-11-25 $scenario
done
start fixture "$BUILD/tests/mcp/fixture" 0
all 2026-07-28
all 2025-11-25 --expected-failures "$here/expected-failures.yaml"
exit $failed
