#!/bin/sh
# run.sh BUILD PROGRAM: the capability tables against the interpreters here,
# and `policy diff` against `filter`.
#
# Every public callable of the standard library that raises an audit event
# must have a capability.
set -u
program=$2
here=$(dirname "$0")
st=0
for python in python3 python3.9 python3.10 python3.11 python3.12 python3.13 \
	python3.14; do
	command -v "$python" >/dev/null 2>&1 || continue
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' \
		2>/dev/null || continue
	"$python" -W ignore "$here/audit_events.py" "$program" || st=1
done
python3 "$here/diff.py" "$program" || st=1
exit $st
