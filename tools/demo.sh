#!/bin/sh
# Judges and runs a real script, and shows a rejected one.
#
#	demo.sh PROGRAM
set -eu
sandgate=$1
cd "$(dirname "$0")/.."
case $sandgate in /*) ;; *) sandgate=$PWD/$sandgate ;; esac
out=$(mktemp -d)
# The files of the first part are left for the reader to look at.
SANDGATE_AUDIT=$out/audit.jsonl
export SANDGATE_AUDIT
cd docs/examples

show() {
	want=$1
	shift
	printf '\n\033[1m$ sandgate %s\033[0m\n' "$*" | plain
	rc=0
	"$sandgate" "$@" 2>&1 || rc=$?
	[ "$rc" = "$want" ] || {
		echo "demo: exit status $rc, not $want" >&2
		exit 1
	}
	[ "$rc" = 0 ] || echo "(exit status $rc)"
}

# Without the bold where nobody sees it.
plain() {
	if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
		cat
	else
		sed "s/$(printf '\033')\[[0-9]*m//g"
	fi
}

show 0 check sales.py
show 0 run --out "$out" sales.py
show 126 run harm.py
show 0 audit show
show 0 audit verify

[ -s "$out/figure-1.png" ] || {
	echo "demo: the plot is missing" >&2
	exit 1
}
printf '\nThe plot is %s\n' "$out/figure-1.png"
