# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# The end, reloads, slow clients and those that go away.

printf 'schema: 1\npolicy: mine\nextends: [default]\n' >p.yaml
start --listen 127.0.0.1:0 --policy ./p.yaml --log --client-time 1
ask "the policy" 200 "$url/v1/policy"
json 'd["policy"] == "mine"'
post "what it lets pass" 200 /v1/check '{"code":"import json"}'
json 'd["status"] == "ok"'
printf 'schema: 1\npolicy: mine2\nextends: [default]\nimports: {deny: {json: "no"}}\n' >p.yaml
kill -HUP "$pid"
await "policy 'mine2' is in force"
ask "a reload" 200 "$url/v1/policy"
json 'd["policy"] == "mine2"'
post "holds" 200 /v1/check '{"code":"import json"}'
json 'd["status"] == "rejected" and d["verdict"]["policy"] == "mine2"'
printf 'schema: 1\npolicy: mine3\nimport: 5\n' >p.yaml
kill -HUP "$pid"
await "the policy stays as it was"
has log 'p.yaml:3'
post "a bad one changes nothing" 200 /v1/check '{"code":"import json"}'
json 'd["verdict"]["policy"] == "mine2"'
ask "and is counted" 200 "$url/metrics"
has body 'sandgate_policy_reload_success 0'
has body 'sandgate_policy_reload_failures_total 1'
has body 'sandgate_policy_reloads_total 1'
has body 'sandgate_policy_info{policy="mine2"'
what="a line for each request"
check "$(grep -c '^{' log)" = 6
tail -n 1 log >body
json 'd["method"] == "GET" and d["path"] == "/metrics" and d["status"] == 200
	and d["peer"].startswith("127.0.0.1:") and d["request_id"] and
	d["bytes_out"] > 1000 and d["took_us"] >= 0'
grep '"/v1/check"' log | tail -n 1 >body
json 'd["result"] == "rejected" and d["run"].startswith("run_")'
what="the run is on record by that name"
run=$(sed 's/.*"run":"\([^"]*\)".*/\1/' body)
has audit.jsonl "$run"
yes "slow clients" python3 "$here/raw.py" slow "$port"
yes "clients of a byte now and then" python3 "$here/raw.py" trickle "$port"
yes "a connection is kept" python3 "$here/raw.py" keep "$port"
stop
has log '"status":499'

start --listen 127.0.0.1:0 --body-size 1M
yes "bodies of many clients" python3 "$here/raw.py" many "$port"
stop
start --listen 127.0.0.1:0 --connections 2
yes "more connections than there may be" python3 "$here/raw.py" cap "$port"
stop

if [ -n "$box" ]; then

start --listen 127.0.0.1:0 --client-time 1
yes "a client that reads nothing" python3 "$here/raw.py" stalled "$port"
stop
start --listen 127.0.0.1:0 --unix s.sock
yes "a client that goes away" python3 "$here/raw.py" gone "$port"
yes "in a modern MCP" python3 "$here/raw.py" mcp_gone "$port" modern
yes "in a legacy MCP" python3 "$here/raw.py" mcp_gone "$port" legacy

# What runs is finished; what comes is sent away.
printf '{"code":"import time; time.sleep(2); print(7)"}' >sent
curl -sS -o late -w '%{http_code}' --json @sent "$url/v1/run" >late.code &
late=$!
sleep 0.7
kill -TERM "$pid"
sleep 0.3
ask "not ready any more" 503 "$url/readyz"
problem draining
ask "alive all the same" 200 "$url/healthz"
post "no more work" 503 /v1/run '{"code":"print(1)"}'
problem draining
has head 'Retry-After:'
has head 'Connection: close'
ended
what="exit status after a drain"
check "$rc" = 0
wait "$late"
what="what ran was answered"
check "$(cat late.code)" = 200
has late '"stdout":"7\n"'
yes "all of it is on record" "$SANDGATE" audit verify audit.jsonl

# A drain that is told to hurry, and one whose time is over.
start --listen 127.0.0.1:0
printf '{"code":"import time; time.sleep(20)"}' >sent
curl -sS -o late -w '%{http_code}' --json @sent "$url/v1/run" >late.code &
late=$!
sleep 0.7
kill -TERM "$pid"
sleep 0.2
kill -TERM "$pid"
ended
what="exit status after two signals"
check "$rc" = 0
wait "$late"
what="what ran was cancelled, and its client told so"
check "$(cat late.code)" = 503
has late '"status":"cancelled"'
start --listen 127.0.0.1:0 --drain-time 0.5
curl -sS -o late -w '%{http_code}' --json @sent "$url/v1/run" >late.code &
late=$!
sleep 0.7
stop
wait "$late"
what="the same when the time is over"
check "$(cat late.code)" = 503

# More than may wait.
start --listen 127.0.0.1:0 --workers 1 --queue 1
printf '{"code":"import time; time.sleep(1.5)"}' >sent
for i in 1 2 3 4; do
	curl -sS -o "many.$i" -w '%{http_code}\n' -D "many.head.$i" \
		--json @sent "$url/v1/run" >>many &
	eval "many$i=\$!"
	sleep 0.1
done
# shellcheck disable=SC2154
wait "$many1" "$many2" "$many3" "$many4"
what="one runs, one waits, others are told to come again"
check "$(sort many | uniq -c | tr -s ' \n' ' ')" = ' 2 200 2 429 '
cat many.head.* >head
has head 'Retry-After: '
cat many.4 >body
json 'd["code"] == "overloaded" and d["retry_after_seconds"] >= 1'
printf '{"code":"import time; time.sleep(1.5)"}' >sent
curl -sS -o late --json @sent "$url/v1/run" &
late=$!
sleep 0.3
post "what waits too long is never run" 200 /v1/run \
	'{"code":"print(1)","deadline_s":0.2}'
json 'd["status"] == "timeout" and d["executed"] is False'
wait "$late"
stop

fi
