# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# Every path, over TCP and a Unix socket.

start --listen 127.0.0.1:0 --unix s.sock

ask "alive" 200 "$url/healthz"
check "$(cat body)" = alive
ask "ready" 200 "$url/readyz"
check "$(cat body)" = ready
ask "versions" 200 "$url/version"
json 'd["sandgate"] and "tree-sitter" in d["analyzer"] and
	d["result_schema"] == "sandgate.result/1"'
ask "the policy" 200 "$url/v1/policy"
json 'd["policy"] == "default" and len(d["policy_sha256"]) == 64 and
	len(d["rules"]) > 20 and all(r["id"] and r["message"] for r in d["rules"])'
ask "the description" 200 "$url/openapi.json"
json 'd["openapi"].startswith("3.1.") and "/v1/run" in d["paths"]'
ask "the page" 200 "$url/"
has head 'text/html'
has head "default-src 'none'"
what="a browser would run its script, and no other"
yes "$what" python3 - body head <<'END'
import base64, hashlib, re, sys
page, head = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
policy = re.search("(?i)^content-security-policy: (.*)$", head, re.M)[1]
for tag, name in ("script", "script-src"), ("style", "style-src"):
    (text,) = re.findall("(?s)<%s>(.*?)</%s>" % (tag, tag), page)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert "%s 'sha256-%s';" % (name, digest) in policy, policy
assert "unsafe" not in policy and not re.search(r"\son\w+=", page)
END
has body '<!doctype html>'
ask "counters" 200 "$url/metrics"
has head 'text/plain; version=0.0.4'
has body 'sandgate_http_requests_total{path="/healthz",code="200"} 1'

post "a check that passes" 200 /v1/check '{"code":"print(1)"}'
json 'd["schema"] == "sandgate.result/1" and d["status"] == "ok" and
	d["executed"] is False and d["verdict"]["decision"] == "pass"'
post "a check that does not" 200 /v1/check \
	'{"code":"import os\nos.system(\"id\")","name":"a/b.py"}'
json 'd["status"] == "rejected" and d["file"] == "a/b.py" and
	d["verdict"]["findings"][0]["line"] == 2'
post "no script at all is a script" 200 /v1/check '{"code":""}'
json 'd["status"] == "ok"'

# Long requests take another way.
python3 -c 'import json
print(json.dumps({"code": "x = 1\n" + "# " * 300000, "deadline_s": 20}))' >long
ask "a long check" 200 --json @long "$url/v1/check"
json 'd["status"] in ("ok", "rejected") and d["verdict"]["judged"]'
sed 's/"code"/"kode"/' long >long.bad
ask "a long request that is wrong" 422 --json @long.bad "$url/v1/check"
problem unknown-key

# What a browser and a load balancer ask.
ask "HEAD" 200 -I "$url/version"
check "$(wc -c <body)" -gt 0
ask "HEAD of a path for POST" 405 -I "$url/v1/run"
has head 'Allow: POST, OPTIONS'
ask "OPTIONS" 204 -X OPTIONS "$url/v1/run"
has head 'Allow: POST, OPTIONS'
ask "OPTIONS of a path for GET" 204 -X OPTIONS "$url/version"
has head 'Allow: GET, HEAD, OPTIONS'
ask "a whole address" 200 --request-target "$url/version" "$url"
ask "a whole address without a path" 200 --request-target "$url" "$url/none"
ask "a whole address of nothing" 404 --request-target "$url/none" "$url"
ask "an address of another host" 400 \
	--request-target "http://elsewhere:$port/version" "$url"
problem bad-host
ask "OPTIONS of all" 204 -X OPTIONS --request-target '*' "$url"
lacks head 'Access-Control'

# Names of requests.
ask "a name of one's own" 200 -H 'X-Request-Id: abc-1.2' "$url/version"
has head 'X-Request-Id: abc-1.2'
ask "a name that would break a log" 200 -H 'X-Request-Id: a"b' "$url/version"
lacks head 'a"b'
has head 'X-Request-Id: req_'
ask "a name that is too long" 200 \
	-H "X-Request-Id: $(printf '%0129d' 0)" "$url/version"
has head 'X-Request-Id: req_'

# The Model Context Protocol is here, too; tests/mcp says what it must do.
post "mcp: tools" 200 /mcp '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
has head 'application/json'
json '[t["name"] for t in d["result"]["tools"]][0] == "run_python"'
post "mcp: a notification" 202 /mcp \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}'
check "$(wc -c <body)" = 0
ask "mcp: no stream to open" 405 "$url/mcp"
has head 'Allow: POST, OPTIONS'
ask "mcp: no session to end" 405 -X DELETE "$url/mcp"
post "mcp: no JSON" 400 /mcp '{'
json 'd["error"]["code"] == -32700'

unix() {
	ask "unix: $1" "$2" --unix-socket s.sock "$3" "http://any.name$4"
}
unix "alive" 200 -s /healthz
unix "the policy" 200 -s /v1/policy
unix "the description" 200 -s /openapi.json
unix "counters" 200 -s /metrics
unix "no such path" 404 -s /v2
problem no-such-path
ask "unix: a check" 200 --unix-socket s.sock --json '{"code":"1"}' \
	http://localhost/v1/check
json 'd["status"] == "ok"'
what="only its owner may use the socket"
check "$(stat -c %a s.sock)" = 600

if [ -n "$box" ]; then

post "a run" 200 /v1/run '{"code":"print(input())\n6 * 7","stdin":"hi"}'
json 'd["status"] == "ok" and d["executed"] and d["stdout"] == "hi\n" and
	d["result"]["repr"] == "42" and d["file"] is None'
ask "unix: a run" 200 --unix-socket s.sock --json '{"code":"print(2)"}' \
	http://localhost/v1/run
json 'd["stdout"] == "2\n"'
post "arguments and name" 200 /v1/run '{"name":"t/me.py",
	"args":["a","","ü"],"code":"import sys\nprint(sys.argv[1:])\n1/0"}'
json 'd["stdout"] == repr(["a", "", "ü"]) + "\n" and d["status"] == "error" and
	"me.py" in d["error"]["traceback"] and d["file"] == "t/me.py"'
post "files in and out" 200 /v1/run '{"files":[
	{"path":"in/a.txt","content":"text"},{"path":"b.bin","base64":"AP8="}],
	"code":"t = open(\"in/a.txt\").read()\nb = open(\"b.bin\", \"rb\").read()\nopen(\"out.bin\", \"wb\").write(b * 2)\n(t, list(b))"}'
json 'd["result"]["repr"] == "(" + repr("text") + ", [0, 255])" and
	[(f["name"], f["data"]) for f in d["files"]] == [("out.bin", "AP8A/w==")]'
python3 -c 'import base64, json, os
print(json.dumps({"files": [{"path": "a",
    "base64": base64.b64encode(os.urandom(3000000)).decode()}],
    "code": "b = open(\"a\", \"rb\").read()\nn = open(\"c\", \"wb\").write(b)\nn"}))
' >long
ask "a long file, there and back" 200 --json @long "$url/v1/run"
json 'd["result"]["repr"] == "3000000" and d["files"][0]["data"] ==
	json.load(open("long"))["files"][0]["base64"]'
post "their names only" 200 /v1/run \
	'{"data":"list","code":"n = open(\"out\", \"w\").write(\"abc\")"}'
json '[(f["name"], f["bytes"]) for f in d["files"]] == [("out", 3)] and
	"data" not in d["files"][0]'
post "an image" 200 /v1/run \
	'{"code":"import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"}'
json 'len(d["images"]) == 1 and
	__import__("base64").b64decode(d["images"][0]["data"])[:4] == b"\x89PNG"'
post "limits" 200 /v1/run '{"code":"while True: pass","timeout_s":0.2,
	"cpu_s":5,"memory_bytes":100000000,"workspace_bytes":1000000,
	"output_bytes":1000}'
json 'd["status"] == "timeout" and {"wall_ms": 200, "cpu_ms": 5000,
	"memory_bytes": 100000000, "workspace_bytes": 1000000,
	"output_bytes": 1000, "threads": 64, "processes": 0,
	"file_size_bytes": 1000000}.items() <= d["limits"].items()'
post "a script that is rejected is a result" 200 /v1/run \
	'{"code":"import ctypes"}'
json 'd["status"] == "rejected" and not d["executed"]'
post "a name that leads out of the workspace" 422 /v1/run \
	'{"code":"1","files":[{"path":"../x","content":""}]}'
problem invalid
json 'd["result"]["executed"] is False'
post "the longest deadline that is too short" 200 /v1/run \
	'{"code":"import time; time.sleep(9)","deadline_s":0.3}'
json 'd["status"] in ("timeout", "cancelled")'
ask "packages" 200 "$url/v1/packages"
json 'd["python"].startswith("3.") and
	any("numpy" in p["modules"] for p in d["packages"])'
post "mcp: a run" 200 /mcp '{"jsonrpc":"2.0","id":"r","method":"tools/call",
	"params":{"name":"run_python","arguments":{"code":"print(5)"}}}'
json 'd["id"] == "r" and d["result"]["structuredContent"]["stdout"] == "5\n"'
printf '%s' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{
	"name":"run_python","_meta":{"progressToken":"p"},"arguments":{
	"code":"import time; time.sleep(1.6)"}}}' | tr -d '\n\t' >sent
ask "mcp: a run with progress is a stream of events" 200 --json @sent \
	-H 'Accept: application/json, text/event-stream' "$url/mcp"
has head 'text/event-stream'
has body '"notifications/progress"'
what="its last event is the answer"
check "$(grep '^data: ' body | tail -n 1 | grep -c '"id":2')" = 1

fi
stop
what="the socket's file is gone"
check ! -e s.sock
yes "the log is intact" "$SANDGATE" audit verify audit.jsonl

if [ -n "$box" ]; then

# Variables are read by what the policy must let pass.
start --listen 127.0.0.1:0 --policy audit --env COLOUR=blue --env SIZE=9
post "environment" 200 /v1/run '{"env":{"COLOUR":"red","SHAPE":"a=b"},
	"code":"import os\n[os.environ.get(k) for k in (\"COLOUR\", \"SIZE\", \"SHAPE\", \"HOME\")]"}'
json 'd["result"]["repr"].startswith("[" + repr("red") + ", " + repr("9") +
	", " + repr("a=b") + ",")'
post "that of the server alone" 200 /v1/run \
	'{"code":"import os\nos.environ[\"COLOUR\"]"}'
json 'd["result"]["repr"] == repr("blue")'
stop

fi
