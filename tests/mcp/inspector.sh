#!/bin/sh
# The official inspector, in both protocols.
#
#	inspector.sh		with CLIENTS, NODE, SANDGATE in the environment
set -u
failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

inspect() {
	"$NODE" "$CLIENTS/node_modules/.bin/mcp-inspector" --cli "$@" \
		"$SANDGATE" mcp >"$out" 2>&1
}

# expect STATUS PATTERN WHAT ARGUMENTS...
expect() {
	status=$1 pattern=$2 what=$3
	shift 3
	inspect "$@"
	got=$?
	if [ "$got" -eq "$status" ] && grep -q "$pattern" "$out"; then
		echo "ok $what"
	else
		echo "not ok $what"
		echo "  exit status $got"
		head -c 2000 "$out" | sed 's/^/  /'
		failed=1
	fi
}

for era in legacy modern; do
	expect 0 run_python "inspector, $era: the tools are portable" \
		--strict --protocol-era $era --method tools/list
	if grep -qi warning "$out"; then
		echo "not ok inspector, $era: without a warning"
		grep -i warning "$out" | head -n 5
		failed=1
	else
		echo "ok inspector, $era: without a warning"
	fi
	expect 0 'Exit code 0' "inspector, $era: a script runs" \
		--protocol-era $era --method tools/call \
		--tool-name run_python \
		--tool-args-json '{"code":"print(6 * 7)"}'
	expect 5 'not executed' "inspector, $era: a rejection is an error" \
		--protocol-era $era --method tools/call \
		--tool-name run_python \
		--tool-args-json '{"code":"import os\nos.system(\"id\")"}'
	expect 0 'sandgate://packages' "inspector, $era: resources" \
		--protocol-era $era --method resources/list
done
exit $failed
