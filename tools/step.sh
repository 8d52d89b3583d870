#!/bin/sh
# Runs one step of `make ci` and says in one line how it went.
#
#	step.sh LABEL COMMAND [ARG...]
#
# Its output is shown when it failed.  With SG_TALLY set, the step is counted
# there as one test, see run-test.sh.
set -u
label=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

begin=$(date +%s)
if "$@" >"$log" 2>&1 </dev/null; then
	result='1 0' word=ok
else
	result='0 1' word=FAILED
	cat "$log"
fi
printf '  %-7s %-40s %s (%s s)\n' STEP "$label" "$word" \
	"$(($(date +%s) - begin))"
[ -n "${SG_TALLY:-}" ] && printf '%s %s\n' "$result" "$label" >>"$SG_TALLY"
[ "$word" = ok ]
