# shellcheck shell=sh disable=SC2034,SC2154
# The log of a server that is killed.

# Kills the server as nothing else could, right behind an answer.
kill_it() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
}

records() {
	"$SANDGATE" audit show --json audit.jsonl | grep -c "\"event\":\"$1\""
}

start --listen 127.0.0.1:0
for n in 1 2 3; do
	post "run $n" 200 /v1/run '{"code":"print(6 * 7)"}'
done
kill_it
yes "the log is intact" "$SANDGATE" audit verify --json audit.jsonl
cp yes.out body
json 'd["intact"] and d["unfinished_runs"] == 0 and d["records"] == 6'
what="no answer is without its record"
check "$(records outcome)" = 3

# A program that does not end before the server does.
start --listen 127.0.0.1:0
curl -s -o answer --data '{"code":"import time\nprint(1)\ntime.sleep(60)"}' \
	-H 'Content-Type: application/json' "$url/v1/run" &
client=$!
tries=0
until [ "$(records verdict)" = 4 ] || [ $tries -gt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
kill_it
wait "$client"
yes "what was cut off is no fault" "$SANDGATE" audit verify audit.jsonl
has yes.out '1 run has no outcome: cut off, or under way; the first is run_'

# Where the answer waits for the disk.
start --listen 127.0.0.1:0 --audit-sync answer
post "the next server goes on" 200 /v1/run '{"code":"print(6 * 7)"}'
kill_it
yes "the log is intact again" "$SANDGATE" audit verify --json audit.jsonl
cp yes.out body
json 'd["intact"] and d["unfinished_runs"] == 1 and d["records"] == 9'
json 'd["head"] == "matches"'

refused "another time" 2 --listen 127.0.0.1:0 --audit-sync never
has log "sync 'never' is none of answer, start"

# A log that cannot be written for a while: nothing runs, and who looks is told.
start --listen 127.0.0.1:0
size=$(wc -c <audit.jsonl)
prlimit --pid "$pid" --fsize="$((size + 10)):"
post "nothing runs without a record" 500 /v1/run '{"code":"print(1)"}'
json 'd["code"] == "internal" and not d["result"]["executed"]'
json '"cannot write the audit log" in d["detail"]'
ask "a server that cannot record is not ready" 503 "$url/readyz"
json 'd["code"] == "audit-log"'
ask "its metrics count that" 200 "$url/metrics"
has body "sandgate_audit_failures_total 1"
prlimit --pid "$pid" --fsize=unlimited:
post "it goes on when it can" 200 /v1/run '{"code":"print(1)"}'
ask "and is ready" 200 "$url/readyz"
has log "nothing runs until it can be"
has log "the audit log can be written again"
stop
yes "the log was never broken" "$SANDGATE" audit verify audit.jsonl
