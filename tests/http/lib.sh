# shellcheck shell=sh disable=SC2034
# What the cases of tests/http share.  Sourced by run.sh.
#
#	start ARG...			a server; $pid, $port (of TCP), log "log"
#	stop				SIGTERM, and its exit status must be 0
#	ask WHAT STATUS CURL-ARG...	a request; "body" and "head"
#	post WHAT STATUS PATH JSON	the same to $url, as JSON
#	refused WHAT STATUS ARG...	the program ends by itself; "err"
#	json EXPRESSION			Python, true of the JSON document `d`
#	has FILE TEXT, lacks FILE TEXT
#	yes WHAT COMMAND...		the command ends with 0

npassed=0
nfailed=0
what=
pid=
pids=

pass() {
	npassed=$((npassed + 1))
}

fail() {
	nfailed=$((nfailed + 1))
	printf 'FAILED: %s: %s: %s\n' "${case_name:?}" "$what" "$1"
	[ -s body ] && sed 's/^/    body: /' body | cut -c1-300 | tail -n 4
	[ -s log ] && sed 's/^/    log: /' log | cut -c1-300 | tail -n 4
}

check() {
	if test "$@"; then pass; else fail "not: $*"; fi
}

has() {
	if grep -qF -e "$2" "$1"; then pass; else fail "$1 lacks '$2'"; fi
}

lacks() {
	if grep -qF -e "$2" "$1"; then fail "$1 has '$2'"; else pass; fi
}

yes() {
	what=$1
	shift
	if "$@" >yes.out 2>&1; then
		pass
	else
		fail "failed: $*"
		sed 's/^/    /' yes.out | tail -n 20
	fi
}

# Until the log has a line with TEXT, for ten seconds.
await() {
	tries=0
	until grep -qF -e "$1" log 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -gt 500 ] && return 1
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.02
	done
}

start() {
	: >log
	"${SANDGATE:?}" serve "$@" >out 2>log &
	pid=$!
	pids="$pids $pid"
	await 'answering requests' || {
		what="starting: $*"
		fail "it does not listen"
		return 1
	}
	port=$(sed -n 's|.*listening on http://.*:\([0-9]*\)$|\1|p' log |
		head -n 1)
	url=http://127.0.0.1:$port
}

# The exit status of a server that was told to end.
ended() {
	rc=0
	wait "$pid" 2>/dev/null || rc=$?
	pid=
}

stop() {
	kill -TERM "$pid"
	ended
	what="the server ends"
	check "$rc" = 0
}

stop_all() {
	for p in $pids; do
		kill -KILL "$p" 2>/dev/null && wait "$p" 2>/dev/null
	done
	pids=
}

ask() {
	what=$1
	want=$2
	shift 2
	rm -f body head
	code=$(curl -sS --max-time 60 -o body -D head -w '%{http_code}' "$@" \
		2>curl.err)
	[ -e body ] || : >body
	if [ "$code" = "$want" ]; then
		pass
	else
		fail "status '$code', not $want ($(cat curl.err)): $*"
	fi
}

post() {
	w=$1
	s=$2
	to=$3
	printf '%s' "$4" >sent
	shift 4
	ask "$w" "$s" --json @sent "$@" "$url$to"
}

refused() {
	what=$1
	want=$2
	shift 2
	rc=0
	timeout 20 "$SANDGATE" serve "$@" >out 2>log || rc=$?
	if [ "$rc" = "$want" ]; then pass; else fail "exit status $rc: $*"; fi
}

json() {
	if python3 -c '
import json, sys
d = json.load(open("body", encoding="utf-8"))
sys.exit(0 if eval("(" + sys.argv[1] + ")") else 1)' "$1" 2>json.err; then
		pass
	else
		fail "not true of the JSON: $1 $(tail -n 1 json.err)"
	fi
}

# problem CODE: the last reply says so, in the shape of all of them.
problem() {
	has head 'application/problem+json'
	json "d['code'] == '$1' and d['status'] == $want and d['request_id']
		in open('head').read() and d['detail']"
}
