# shellcheck shell=sh disable=SC2015,SC2016,SC2034,SC2129,SC2154
# What needs the box: programs that run, and limits that end them.

echo 'print("works")' >probe.py
if "$SANDGATE" run probe.py >out 2>err; then
	box=yes
elif [ -n "${SG_BOX_MUST_WORK:-}" ]; then
	what='the box'
	fail 'does not work on this host'
	box=
else
	echo "box: skipped: $(tail -n 1 err)"
	box=
fi

# code WHAT STATUS TEXT ARG...: runs a text from standard input.
code() {
	label=$1
	want_rc=$2
	printf '%s\n' "$3" >in
	shift 3
	ran "$label" "$want_rc" run "$@" -
}

if [ -n "$box" ]; then

# ---- what people ask for ----

code 'a power' 0 'print(2**10)'
out_is '1024'
code 'a median' 0 'import statistics
print(statistics.median([1, 5, 3, 9, 2]))'
out_is '3'
code 'a sort' 0 'def sort(v):
    if len(v) < 2:
        return v
    rest = v[1:]
    return sort([x for x in rest if x < v[0]]) + [v[0]] + sort([x for x in rest if x >= v[0]])
print(sort([3, 1, 4, 1, 5]))'
out_is '[1, 1, 3, 4, 5]'
code 'a value in the last line' 0 'x = 6
x * 7'
out_is 'result: 42'
code 'a value, quietly' 0 '6 * 7' --quiet
out_is ''
code 'a value as JSON' 0 '[1, 2]' --json
out_json 'd["result"] == {"repr": "[1, 2]", "type": "list", "truncated": False}'
code 'no value' 0 'print("x")' --json
out_json 'd["result"] is None and d["stdout"] == "x\n"'
out_json 'd["audit"]["verdict"]["sequence"] + 1 == d["audit"]["outcome"]["sequence"]'
out_json 'd["exit_code"] == 0 and d["signal"] is None and d["executed"]'
out_json 'd["layers"] and d["limits"]["wall_ms"] == 30000'

if python3 -c 'import matplotlib, pandas' 2>/dev/null; then
	ran 'a plot' 0 run --out plots "$root/docs/examples/curve.py"
	err_has 'wrote plots/figure-1.png'
	yes 'is one image with two curves' python3 -c '
import matplotlib.image
image = matplotlib.image.imread("plots/figure-1.png")
height, width, depth = image.shape
assert height > 300 and width > 400, image.shape
colours = {tuple((pixel[:3] * 255).round().astype(int)) for row in image for pixel in row}
assert (31, 119, 180) in colours and (255, 127, 14) in colours'
	yes 'and nothing else' sh -c '[ "$(ls plots)" = figure-1.png ]'
	ran 'a plot as JSON' 0 run --json "$root/docs/examples/curve.py"
	out_json 'len(d["images"]) == 1 and d["images"][0]["mime"] == "image/png"'
	out_json '__import__("base64").b64decode(d["images"][0]["data"])[:8] == b"\x89PNG\r\n\x1a\n"'
	ran 'a plot that is not kept' 0 run "$root/docs/examples/curve.py"
	err_has "the program made 1 image and 0 files; '--out DIR' keeps them"
	ran 'a group-by' 0 run "$root/docs/examples/sales.py"
	out_has 'north   440  146.666667'
	out_has "result: '2026-02'"
fi

# ---- statuses ----

code 'exit 3' 3 'import sys
sys.exit(3)'
code 'an exception' 1 'def f():
    return 1 / 0
f()'
err_has 'ZeroDivisionError: division by zero'
err_has 'line 2'
lacks err '/usr/lib'
code 'an exception as JSON' 1 'print("before")
1 / 0' --json
out_json 'd["status"] == "error" and d["error"]["name"] == "ZeroDivisionError"'
out_json 'd["error"]["line"] == 2 and d["stdout"] == "before\n"'
code 'wall clock' 124 'print("partial", flush=True)
while True: pass' --timeout 1
out_is 'partial'
err_has 'limit of 1 s reached'
code 'wall clock as JSON' 124 'import time
print("partial", flush=True)
time.sleep(60)' --timeout 1 --json
out_json 'd["status"] == "timeout" and d["executed"] and d["stdout"] == "partial\n"'
code 'input() without input' 1 'input()' --json
out_json 'd["error"]["name"] == "EOFError"'

# ---- in and out ----

printf 'one\ntwo\n' >lines
code 'standard input' 0 'print(input(), input())' --stdin lines
out_is 'one two'
echo 'print(input())' >ask.py
cp lines in
ran 'standard input of its own' 0 run --stdin - ask.py
out_is 'one'
code 'files in' 0 'print(open("lines").read(), open("sub/two").read(), end="")' \
	--file lines --file lines:sub/two
out_has 'two'
code 'files out' 0 'open("made.txt", "w").write("made")' --out made
err_has 'wrote made/made.txt'
yes 'is there' grep -qx made made/made.txt
code 'files out again' 0 'open("made.txt", "w").write("again")' --out made
yes 'nothing is overwritten' grep -qx made made/made.txt
yes 'it has another name' grep -qx again made/made-1.txt
code 'files as JSON' 0 'open("made.txt", "w").write("made")' --json
out_json '[f["name"] for f in d["files"]] == ["made.txt"]'
out_json '__import__("base64").b64decode(d["files"][0]["data"]) == b"made"'
cat >args.py <<'END'
import sys
print(sys.argv[1:])
END
ran 'arguments' 0 run args.py -- a --json -- b
out_is "['a', '--json', '--', 'b']"
ran 'arguments, all behind --' 0 run -- args.py a
out_is "['a']"
code 'stdout and stderr apart' 0 'import sys
print("to stdout")
print("to stderr", file=sys.stderr)'
out_is 'to stdout'
err_is 'to stderr'
code 'output that is not UTF-8' 0 'import sys
sys.stdout.buffer.write(b"a\xffb\n")' --json
out_json 'd["stdout"] == "a\ufffdb\n" and d["streams"]["stdout"]["replaced"] == 1'
code 'much output' 0 'print("x" * 5000000)' --output 64K --json
out_json 'd["streams"]["stdout"]["truncated"] and len(d["stdout"]) < 70000'
out_json 'd["streams"]["stdout"]["bytes_total"] == 5000001'
echo 'print(1)' >in
full 'a full disk' 125 run -

# ---- the box alone ----

# alone WHAT CODE ARG...: runs whatever the verdict; says so; as JSON.
alone() {
	label=$1
	printf '%s\n' "$2" >in
	shift 2
	what=$label
	rc=0
	"$SANDGATE" run --no-gate --json "$@" - <in >out 2>err || rc=$?
	err_has 'WARNING: --no-gate'
	out_json 'd["executed"] is True and d["enforced"] is False'
}

home=$HOME
echo secret >"$home/secret"
secret=$home/secret
chmod 755 "$home"
chmod 644 "$secret"
alone 'os.system' 'import os
print("got", os.system("echo escaped"))'
out_json '"escaped" not in d["stdout"]'
alone 'subprocess' 'import subprocess
subprocess.run(["/bin/echo", "escaped"])'
out_json '"escaped" not in d["stdout"] and d["status"] != "ok"'
alone 'os.fork' 'import os
if os.fork() == 0:
    print("escaped", flush=True)
    os._exit(0)
print("parent")'
out_json '"escaped" not in d["stdout"] and d["status"] != "ok"'
alone 'sockets' 'import socket
s = socket.create_connection(("1.1.1.1", 53), 2)
print("escaped")'
out_json '"escaped" not in d["stdout"] and d["status"] != "ok"'
alone '/etc/shadow' 'print("escaped", open("/etc/shadow").read())'
out_json '"escaped" not in d["stdout"] and d["status"] == "error"'
alone 'the home of the caller' "print('escaped', open('$secret').read())"
out_json '"escaped" not in d["stdout"] and d["error"]["name"] in ("FileNotFoundError", "PermissionError")'
alone 'writing outside the workspace' 'open("/usr/escaped", "w").write("x")'
out_json 'd["status"] == "error"'
yes 'nothing was written' sh -c '! [ -e /usr/escaped ]'
alone 'an endless loop' 'print("partial", flush=True)
while True: pass' --timeout 2
out_json 'd["status"] == "timeout" and d["stdout"] == "partial\n"'
alone 'memory' 'v = []
while True: v.append(bytearray(1 << 20))' --memory 256MiB --timeout 20
out_json 'd["status"] == "memory_limit" or d["error"]["name"] == "MemoryError"'
alone '1 GB of output' 'import sys
for i in range(1 << 10): sys.stdout.write("x" * (1 << 20))' --timeout 20
out_json 'd["status"] == "output_limit" or d["streams"]["stdout"]["truncated"]'
out_json 'len(d["stdout"]) < (2 << 20)'
alone 'a fork bomb' 'import os
while True: os.fork()' --timeout 5
out_json 'd["status"] in ("error", "process_limit", "syscall_denied")'
alone 'a crash' 'import ctypes
ctypes.string_at(0)'
out_json 'd["status"] == "signaled" and d["signal"] == 11'
what='a crash: exit status'
if [ "$rc" = 139 ]; then pass; else fail "$rc"; fi
printf 'import ctypes\nctypes.string_at(0)\n' >in
ran 'a crash, as text' 139 run --no-gate -
err_has 'ended by signal 11 (SIGSEGV)'
printf 'import os\nos.fork()\n' >in
ran 'a refused call, as text' 1 run --no-gate -
err_has 'refused system call: '
ran 'the log is intact' 0 audit verify
ran 'and tells what was not enforced' 0 audit show
out_has 'NOT-ENFORCED'

# ---- what it used ----

code 'the memory of the interpreter counts' 0 'x = 1' --json
out_json 'd["usage"]["peak_memory_bytes"] > 4000000'
code 'and what the program took' 0 'x = b"1" * 100000000' --json
out_json '100000000 < d["usage"]["peak_memory_bytes"] < 200000000'

# ---- interrupted ----

what='interrupted'
printf 'import time\nprint("x", flush=True)\ntime.sleep(60)\n' >sleep.py
rc=0
timeout -s INT 2 "$SANDGATE" run --json sleep.py >out 2>err || rc=$?
out_json 'd["status"] == "cancelled" and d["stdout"] == "x\n"'

fi
