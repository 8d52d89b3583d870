#!/bin/sh
# The Model Context Protocol, as clients speak it.
#
#	run.sh BUILD PROGRAM [PART...]
#
# Clients and suite are what `make deps` brought to third_party/mcp; without
# them this fails.
set -u
BUILD=$1
SANDGATE=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
CLIENTS=$(cd "$here/../../third_party/mcp" && pwd)
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3
NODE=
for node in "$CLIENTS"/node_modules/node-linux-*/bin/node; do
	[ -x "$node" ] && NODE=$node
done
[ -n "$NODE" ] || {
	echo "the clients are missing: run 'make deps'"
	exit 1
}
TOP=$(mktemp -d)
trap 'rm -rf "$TOP"' EXIT
SANDGATE_AUDIT=$TOP/audit.jsonl
HOME=$TOP
LC_ALL=C.UTF-8
PYTHONDONTWRITEBYTECODE=1
export BUILD SANDGATE CLIENTS NODE TOP SANDGATE_AUDIT HOME LC_ALL
export PYTHONDONTWRITEBYTECODE
unset XDG_STATE_HOME NODE_OPTIONS
cd "$TOP" || exit 1

some=$#
[ $# -gt 0 ] || set -- wire overhttp same client inspector conformance
failed=0
for part in "$@"; do
	case $part in
	wire | overhttp | same) "$PYTHON" "$here/$part.py" || failed=1 ;;
	client) "$NODE" "$here/client.cjs" || failed=1 ;;
	*) sh "$here/$part.sh" || failed=1 ;;
	esac
done
# Parts have logs of their own; all of them together have this one, too.
[ "$some" -gt 0 ] && [ ! -e "$SANDGATE_AUDIT" ] && exit $failed
if "$SANDGATE" audit verify "$SANDGATE_AUDIT" >"$TOP/verify" 2>&1; then
	echo "ok the log of all this is intact"
else
	echo "not ok the log of all this is intact"
	cat "$TOP/verify"
	failed=1
fi
exit $failed
