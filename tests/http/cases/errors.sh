# shellcheck shell=sh disable=SC2034,SC2154,SC2238
# Every error, and that it says so in one shape.

start --listen 127.0.0.1:0 --unix s.sock --body-size 4K --timeout 10

ask "no such path" 404 "$url/v1/nothing"
problem no-such-path
ask "no such path, to be posted to" 404 --json '{}' "$url/v1/nothing"
problem no-such-path
ask "a method that does not go with a path" 405 "$url/v1/run"
problem bad-method
has head 'Allow: POST, OPTIONS'
ask "nor this one" 405 -X DELETE "$url/version"
has head 'Allow: GET, HEAD, OPTIONS'
ask "nor one that nobody knows" 405 -X BREW "$url/version"
ask "a POST to a path for GET" 405 --json '{}' "$url/version"

ask "no type" 415 -H 'Content-Type:' -d '{}' "$url/v1/run"
problem not-json
ask "a form" 415 -d 'code=1' "$url/v1/check"
ask "compressed" 415 --json '{}' -H 'Content-Encoding: gzip' "$url/v1/check"
ask "a type with more to say" 200 -H 'Content-Type: application/json; charset=utf-8' \
	-d '{"code":"1"}' "$url/v1/check"
ask "no length" 411 -X POST -H 'Content-Type: application/json' "$url/v1/run"
problem no-length
ask "in pieces" 200 --json '{"code":"1"}' -H 'Transfer-Encoding: chunked' \
	"$url/v1/check"

post "no JSON" 400 /v1/check '{"code":'
problem bad-json
json '"line 1" in d["detail"]'
post "no UTF-8" 400 /v1/check "$(printf '{"code":"\377"}')"
post "a key twice" 400 /v1/check '{"code":"1","code":"2"}'
post "half a pair of surrogates" 400 /v1/check '{"code":"\ud800"}'
post "nothing" 400 /v1/check ''
post "not an object" 422 /v1/check '[]'
problem wrong-type
post "no code" 422 /v1/check '{}'
problem missing-key
post "code that is no text" 422 /v1/check '{"code":7}'
json 'd["code"] == "wrong-type" and d["pointer"] == "/code"'

# wrong WHAT POINTER CODE JSON: of a run
wrong() {
	post "$1" 422 /v1/run "$4"
	json "d['code'] == '$3' and d['pointer'] == '$2'"
}
wrong "a key that is not known" /timout_s unknown-key \
	'{"code":"1","timout_s":1}'
json "\"'timeout_s'\" in d['detail']"
wrong "one that is nothing like any" /zzzzzzzz unknown-key \
	'{"code":"1","zzzzzzzz":1}'
lacks body 'meant'
wrong "a key with a slash" /a~1b~0c unknown-key '{"code":"1","a/b~c":1}'
wrong "time as text" /timeout_s wrong-type '{"code":"1","timeout_s":"1"}'
wrong "no time" /timeout_s bad-value '{"code":"1","timeout_s":0}'
wrong "time that was" /cpu_s bad-value '{"code":"1","cpu_s":-1}'
wrong "more time than there is" /timeout_s above-limit \
	'{"code":"1","timeout_s":10.001}'
wrong "all time" /timeout_s bad-value '{"code":"1","timeout_s":1e300}'
wrong "half a byte" /memory_bytes wrong-type '{"code":"1","memory_bytes":0.5}'
wrong "more memory than there is" /memory_bytes above-limit \
	'{"code":"1","memory_bytes":1000000000000}'
wrong "more workspace than there is" /workspace_bytes above-limit \
	'{"code":"1","workspace_bytes":1000000000000}'
wrong "more output than there is" /output_bytes above-limit \
	'{"code":"1","output_bytes":1000000000000}'
wrong "files that do not fit" /files above-limit \
	'{"code":"1","workspace_bytes":4,"files":[{"path":"a","content":"12345"}]}'
wrong "arguments in one text" /args wrong-type '{"code":"1","args":"a b"}'
wrong "an argument that is a number" /args/1 wrong-type \
	'{"code":"1","args":["a",1]}'
wrong "an argument with NUL" /args/0 bad-value '{"code":"1","args":["\u0000"]}'
wrong "a file that is a text" /files/0 wrong-type '{"code":"1","files":["a"]}'
wrong "a file without a name" /files/0 missing-key \
	'{"code":"1","files":[{"content":""}]}'
wrong "a file with no name" /files/0/path bad-value \
	'{"code":"1","files":[{"path":"","content":""}]}'
wrong "a file without anything" /files/1 missing-key \
	'{"code":"1","files":[{"path":"a","content":""},{"path":"b"}]}'
wrong "a file with two contents" /files/0/base64 bad-value \
	'{"code":"1","files":[{"path":"a","content":"","base64":""}]}'
wrong "base64 that is none" /files/0/base64 bad-value \
	'{"code":"1","files":[{"path":"a","base64":"AP8"}]}'
wrong "a key of a file that is not known" /files/0/data unknown-key \
	'{"code":"1","files":[{"path":"a","data":""}]}'
wrong "a variable that is a number" /env/A wrong-type '{"code":"1","env":{"A":1}}'
wrong "a variable without a name" /env/ bad-value '{"code":"1","env":{"":"x"}}'
wrong "a name with =" /env/A=B bad-value '{"code":"1","env":{"A=B":"x"}}'
wrong "an empty name" /name bad-value '{"code":"1","name":""}'
wrong "a name of two lines" /name bad-value '{"code":"1","name":"a\nb"}'
wrong "a place for data that is none" /data bad-value '{"code":"1","data":"x"}'
post "keys of runs are none of checks" 422 /v1/check \
	'{"code":"1","stdin":"x"}'
json '"nothing is run" in d["detail"] and d["pointer"] == "/stdin"'
what="a name may have 255 bytes"
post "$what" 200 /v1/check "{\"code\":\"1\",\"name\":\"$(printf '%0255d' 0)\"}"
post "and no more" 422 /v1/check "{\"code\":\"1\",\"name\":\"$(printf '%0256d' 0)\"}"
args() {
	python3 -c 'import json, sys
print(json.dumps({"code": "import ctypes", "args": [""] * int(sys.argv[1])}))' "$1"
}
post "256 arguments go" 200 /v1/run "$(args 256)"
post "and no more" 422 /v1/run "$(args 257)"

# Too much: by its length, and where there is none.
python3 -c 'print("{\"code\":\"%s\"}" % ("#" * (4096 - 11)), end="")' >fits
python3 -c 'print("{\"code\":\"%s\"}" % ("#" * (4096 - 10)), end="")' >over
ask "4096 bytes" 200 --json @fits "$url/v1/check"
ask "4097 bytes" 413 --json @over "$url/v1/check"
problem too-large
ask "4096 bytes in pieces" 200 --json @fits -H 'Transfer-Encoding: chunked' \
	"$url/v1/check"
ask "4097 bytes in pieces" 413 --json @over -H 'Transfer-Encoding: chunked' \
	"$url/v1/check"
head -c 3000000 /dev/zero >huge
ask "3 MB" 413 --json @huge "$url/v1/check"
ask "3 MB where nothing is" 404 --json @huge "$url/nothing"
ask "and the server goes on" 200 "$url/healthz"

ask "unix: not JSON" 415 --unix-socket s.sock -d x http://a/v1/run
ask "unix: too much" 413 --unix-socket s.sock --json @over http://a/v1/run
yes "what is not HTTP" python3 "$here/raw.py" malformed "$port"
stop
