# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# 64 connections: every answer is a result or "come again", none is lost,
# nothing grows, and what was judged is on record.

if [ -n "$box" ] && command -v wrk >/dev/null 2>&1; then

seconds=${SG_LOAD_SECONDS:-5}
# What a sanitizer keeps back is no growth of ours.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
ASAN_OPTIONS=$ASAN_OPTIONS:thread_local_quarantine_size_kb=16
export ASAN_OPTIONS

# gauges FILE: memory and descriptors when nothing is under way.  What waits
# for runs to come is like the last ones, so they must have been the same.
gauges() {
	for i in 1 2 3 4 5 6 7 8; do
		curl -sS "$url/v1/run" --json '{"code": "pass"}' >same ||
			fail "run $i before the gauges are read"
	done
	sleep 0.3
	curl -sS "$url/metrics" | awk '
		$1 == "process_resident_memory_bytes" { m = $2 }
		$1 == "process_open_fds" { f = $2 }
		END { print int(m / 1024), f }' >"$1"
}

load() {
	what="$1"
	wrk -t 2 -c 64 -d "$2" --timeout 60s -s "$here/load.lua" \
		"$url/v1/run" -- counts >wrk.out 2>&1 || fail "$(tail -n 3 wrk.out)"
	# wrk leaves in the middle of requests.
	tries=0
	until curl -sS "$url/metrics" >metrics &&
		grep -qx 'sandgate_tasks_running 0' metrics &&
		grep -qx 'sandgate_tasks_queued 0' metrics; do
		tries=$((tries + 1))
		[ "$tries" -gt 100 ] && break
		sleep 0.1
	done
}

# load_held: of the counts of the last load
load_held() {
	python3 - <<'END' >held 2>&1
import re, sys
counts = dict(line.split() for line in open("counts"))
counts = {k: int(v) for k, v in counts.items()}
statuses = {k for k in counts if k.isdigit()}
assert statuses <= {"200", "429"}, counts
for kind in ("odd", "connect", "read", "write", "timeout"):
    assert counts[kind] == 0, counts
assert counts.get("200", 0) > 0, counts
assert sum(counts[k] for k in statuses) == counts["requests"], counts
metrics = dict(line.rsplit(" ", 1) for line in open("metrics")
               if line[0] != "#")
def total(name):
    return sum(int(v) for k, v in metrics.items() if k.startswith(name))
accepted = total("sandgate_tasks_accepted_total")
assert total("sandgate_tasks_total") == accepted
codes = {k: int(v) for k, v in metrics.items()
         if k.startswith('sandgate_http_requests_total{path="/v1/run"')}
said = {re.search('code="(\\d+)"', k)[1]: v for k, v in codes.items()}
assert set(said) <= {"200", "429", "499"}, said
assert said["200"] >= counts["200"], (said, counts)
# What was accepted was answered, or its client was gone.
assert said["200"] + said.get("499", 0) >= accepted >= said["200"], said
records = sum(1 for line in open("audit.jsonl") if '"event":"verdict"' in line)
assert records == total("sandgate_verdicts_total"), records
assert said["200"] <= records + said.get("429", 0) <= sum(said.values()), said
print(counts["200"], "results,", counts.get("429", 0), "told to come again")
END
}

start --listen 127.0.0.1:0 --unix s.sock
load "warming up" 2s
gauges before
load "64 connections for $seconds s" "${seconds}s"
if load_held; then pass; else fail "$(tail -n 3 held)"; fi
# A warm interpreter may be on its way out just now, with all that it has.
# Control groups are kept for later runs: 16 at the most, with six descriptors
# each.  A leak of one in each run would be thousands.
stayed() {
	for tries in 1 2 3 4 5 6; do
		gauges after
		awk 'NR == 1 { m = $1; f = $2 }
			NR == 2 { exit !($1 < m * 1.15 + 4096 && $2 <= f + 104) }' \
			before after && return
	done
	return 1
}
what="memory and descriptors stay"
if stayed; then
	pass
else
	fail "KiB and descriptors: $(cat before), then $(cat after)"
fi
yes "the log is intact" "$SANDGATE" audit verify audit.jsonl
stop

# With little room, most are told to come again.
rm audit.jsonl*
start --listen 127.0.0.1:0 --workers 1 --queue 2
load "64 connections, room for three" 2s
if load_held; then pass; else fail "$(tail -n 3 held)"; fi
what="some were told to come again"
if grep -q '^429 ' counts; then pass; else fail "$(cat counts)"; fi
stop

fi
