#!/bin/sh
# Runs each fuzz target for some seconds.
#
#	fuzz-run.sh BUILD SECONDS NAME...
#
# What is found new is kept in BUILD/corpus/NAME; an input that breaks
# something is left in BUILD/ and named at the end.
set -u
build=$1
seconds=$2
shift 2
st=0
for name in "$@"; do
	mkdir -p "$build/corpus/$name"
	echo "== $name"
	dict=
	[ -f "tests/fuzz/$name.dict" ] && dict=-dict=tests/fuzz/$name.dict
	# shellcheck disable=SC2086
	"$build/bin/fuzz_$name" $dict -max_total_time="$seconds" -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/$name-" "$build/corpus/$name" \
		"tests/fuzz/seeds/$name" 2>&1 | tail -n 20
	for bad in "$build/$name-crash-"* "$build/$name-timeout-"* \
		"$build/$name-oom-"* "$build/$name-leak-"*; do
		[ -f "$bad" ] || continue
		echo "found: $bad"
		st=1
	done
done
exit "$st"
