#!/bin/sh
# Runs one test program and says in one line how many of its tests passed.
#
#	run-test.sh LABEL PROGRAM [ARG...]
#
# What the program printed is counted: Check's summary, or "N passed, N
# failed", or TAP.  A program that ends well without having said anything
# counts as no test.  What it printed is shown when something
# failed, without the tests that passed.  With
# SG_TALLY set, "PASSED FAILED LABEL" is added to that file.
set -u
label=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

rc=0
"$@" >"$log" 2>&1 </dev/null || rc=$?

tally=$(awk '
/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
	gsub(/[^0-9]+/, " "); split($0, n, " ")
	good += n[2] - n[3] - n[4]; bad += n[3] + n[4]; summed = 1; next
}
/^[0-9]+ passed, [0-9]+ failed/ { good += $1; bad += $3; summed = 1; next }
/^ok / { if ($0 !~ /# *[Ss][Kk][Ii][Pp]/) tap_good++; next }
/^not ok / { tap_bad++; next }
END { if (!summed) { good = tap_good; bad = tap_bad }
	print good + 0, bad + 0 }' "$log")
good=${tally% *}
bad=${tally#* }
[ "$rc" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1

if [ "$bad" -gt 0 ]; then
	grep -v '^ok ' "$log"
	printf '  %-7s %-40s %s passed, %s FAILED (exit status %s)\n' \
		TEST "$label" "$good" "$bad" "$rc"
else
	printf '  %-7s %-40s %s passed\n' TEST "$label" "$good"
fi
[ -n "${SG_TALLY:-}" ] && printf '%s %s %s\n' "$good" "$bad" "$label" \
	>>"$SG_TALLY"
[ "$bad" -eq 0 ]
