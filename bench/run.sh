#!/bin/sh
# All benchmarks, in one run; see bench/gate.c, start.py, cold.py and serve.py.
#
#	run.sh BUILD
set -eu
build=$1

# The library that every Python brings: real code by many hands.
find -L /usr/lib/python3 /usr/lib/python3.* -name '*.py' -size -1024k \
	2>/dev/null | sort | head -n "${BENCH_FILES:-1500}" |
	xargs -s 1000000 "$build/bench/gate"
find -L /usr/lib/python3.* -maxdepth 1 -name '*.py' -size -200k 2>/dev/null |
	sort | head -n 120 | xargs -s 1000000 "$build/bench/policy"
"$build/bench/box"
"$build/bench/warm"
python3 bench/start.py "$build/sandgate"
python3 bench/cold.py "$build/sandgate"
python3 bench/serve.py "$build/sandgate"
