#!/usr/bin/env python3
"""The protocol line by line: what no well-behaved client would send."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from server import META, Server, Tap, text, wait_for

tap = Tap()


def code(answer):
    return answer.get("error", {}).get("code")


def framing():
    s = Server()
    s.send_raw(b"{\n")
    a = s.receive()
    tap.equal(code(a), -32700, "what is not JSON is a parse error")
    tap.ok("id" not in a, "and has no id, as none was read", a)
    for bad, what in [(b'"text"', "a string"), (b"17", "a number"),
                      (b'{"id":1,"method":"ping"}', "no jsonrpc"),
                      (b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
                       "another jsonrpc"),
                      (b'{"jsonrpc":"2.0","id":1}', "no method"),
                      (b'{"jsonrpc":"2.0","id":1,"method":7}',
                       "a method that is no string"),
                      (b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
                       "an id of null"),
                      (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
                       "an id that is no whole number"),
                      (b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
                       "an id that is an object")]:
        s.send_raw(bad + b"\n")
        tap.equal(code(s.receive()), -32600, "invalid request: " + what)
    for bad, what in [(b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,'
                       b'"method":"ping"}', "a member twice"),
                      (b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
                       "two texts on a line"),
                      (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
                       "bytes that are not UTF-8"),
                      (b'{"a":' * 65 + b"1" + b"}" * 65, "65 levels"),
                      (b"[" * 100000, "100,000 levels")]:
        s.send_raw(bad + b"\n")
        tap.equal(code(s.receive()), -32700, "parse error: " + what)
    deep = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    node = deep["params"]
    for _ in range(62):
        node["a"] = {}
        node = node["a"]
    s.send(deep)
    tap.equal(s.receive(), {"jsonrpc": "2.0", "id": 1, "result": {}},
              "64 levels are read")
    s.send({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]})
    tap.equal(code(s.receive()), -32602, "params that are a list")
    s.send_raw(b"\n  \r\n")
    s.send({"jsonrpc": "2.0", "id": 8, "result": {}})
    s.send({"jsonrpc": "2.0", "method": "notifications/unheard-of"})
    tap.equal(s.ask("ping", id="\u00e4\n")["id"], "\u00e4\n",
              "empty lines, answers and notifications are passed over; "
              "an id comes back as it was")
    message = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    for byte in message.encode() + b"\r\n":
        s.send_raw(bytes([byte]))
    tap.equal(s.receive()["id"], 2, "a line may come byte by byte")
    s.send_raw((message + "\n").encode() * 50)
    tap.equal([s.receive()["id"] for _ in range(50)], [2] * 50,
              "and fifty at once")
    s.send_raw(b'"' + b"x" * (64 << 20) + b'"\n')
    tap.equal(code(s.receive()), -32600, "a line beyond 64 MiB is refused")
    tap.equal(s.ask("ping", id=3)["id"], 3, "and the next one is read")
    s.send_raw(message.encode())
    status, rest = s.end()
    tap.equal((status, [m["id"] for m in rest]), (0, [2]),
              "a last line without its end is read")


def eras():
    s = Server()
    tap.equal(code(s.ask("tools/list")), -32602,
              "neither initialize nor _meta: refused")
    tap.equal(code(s.ask("server/discover")), -32602,
              "a probe without _meta too")
    no_caps = {"_meta": {"io.modelcontextprotocol/protocolVersion":
                         "2026-07-28"}}
    tap.equal(code(s.ask("tools/list", no_caps)), -32602,
              "_meta without the client's capabilities")
    future = {"_meta": dict(META, **{
        "io.modelcontextprotocol/protocolVersion": "2099-01-01"})}
    a = s.ask("tools/list", future)
    tap.equal((code(a), a["error"].get("data")),
              (-32022, {"supported": ["2026-07-28"],
                        "requested": "2099-01-01"}),
              "a version from the future is told what there is")
    a = s.ask("server/discover", modern=True)["result"]
    tap.equal((a["supportedVersions"], a["resultType"],
               a["capabilities"]),
              (["2026-07-28"], "complete", {"tools": {}, "resources": {}}),
              "discovery says what there is")
    tap.ok("ttlMs" in a and a["cacheScope"] == "private"
           and a["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
           == "sandgate", "for how long, and who says it", a)
    a = s.ask("tools/list", modern=True)["result"]
    tap.ok(a["resultType"] == "complete" and a["ttlMs"] > 0,
           "lists may be kept", a.keys())
    for gone in ["initialize", "ping", "logging/setLevel",
                 "resources/subscribe"]:
        tap.equal(code(s.ask(gone, modern=True)), -32601,
                  "the newer protocol has no " + gone)
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]:
        a = s.initialize(version)["result"]
        tap.equal(a["protocolVersion"], version, "initialize: " + version)
    a = s.initialize("2031-01-01")["result"]
    tap.equal(a["protocolVersion"], "2025-11-25",
              "initialize with an unknown version gets the newest")
    a = s.ask("tools/list")["result"]
    tap.ok("resultType" not in a and "ttlMs" not in a and "_meta" not in a,
           "answers of the older protocol have nothing of the newer", a)
    tap.equal(code(s.ask("server/discover")), -32601,
              "nor its methods")
    tap.ok("resultType" in s.ask("tools/list", modern=True)["result"],
           "both may be mixed, message by message")
    tap.equal(code(s.ask("tools/list", {"cursor": "x"})), -32602,
              "there is no second page")
    tap.equal(s.end()[0], 0, "end of input, exit status 0")


def batches():
    s = Server()
    s.initialize("2025-11-25")
    s.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
    tap.equal(code(s.receive()), -32600, "2025-11-25 has no batches")
    s.initialize("2025-03-26")
    s.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/x"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
                "name": "run_python", "arguments": {"code": "print(7)"}}},
            {"jsonrpc": "2.0", "id": 3, "method": "nothing"}, 5])
    answers = s.receive()
    by_id = {a.get("id"): a for a in answers}
    tap.equal((len(answers), code(by_id[3]), code(by_id[None]),
               by_id[2]["result"]["structuredContent"]["stdout"]),
              (4, -32601, -32600, "7\n"),
              "2025-03-26 has; one answer for all of its requests")
    s.send([{"jsonrpc": "2.0", "method": "notifications/x"}])
    tap.ok(s.quiet(0.3), "notifications alone are not answered")
    for bad in [[], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * 101]:
        s.send(bad)
        tap.equal(code(s.receive()), -32600,
                  "a batch of %d is refused" % len(bad))
    s.end()


def arguments():
    s = Server("--timeout", "5")
    s.initialize()
    a = s.ask("tools/call", {"name": "rm_rf", "arguments": {}})
    tap.equal(code(a), -32602, "an unknown tool is an error of the protocol")
    tap.equal(code(s.ask("tools/call", {"arguments": {}})), -32602,
              "as is none")
    tap.equal(code(s.ask("tools/call", {"name": "run_python",
                                        "arguments": []})), -32602,
              "and arguments that are no object")
    for args, word in [({}, "code"), ({"code": 5}, "code"),
                       ({"code": "1", "kode": 1}, "kode"),
                       ({"code": "1", "stdin": 5}, "stdin"),
                       ({"code": "1", "args": "x"}, "args"),
                       ({"code": "1", "args": [5]}, "args"),
                       ({"code": "1", "args": ["a\0b"]}, "args"),
                       ({"code": "1", "timeout_s": 0}, "timeout_s"),
                       ({"code": "1", "timeout_s": -1}, "timeout_s"),
                       ({"code": "1", "timeout_s": 5.01}, "up to 5"),
                       ({"code": "1", "timeout_s": "3"}, "timeout_s"),
                       ({"code": "1", "return_files": 1}, "return_files"),
                       ({"code": "1", "files": {}}, "files"),
                       ({"code": "1", "files": [{}]}, "path"),
                       ({"code": "1", "files": [{"path": "a"}]}, "content"),
                       ({"code": "1", "files": [
                           {"path": "a", "content": "", "base64": ""}]},
                        "either"),
                       ({"code": "1", "files": [
                           {"path": "a", "base64": "%%%"}]}, "base64"),
                       ({"code": "1", "files": [
                           {"path": "../a", "content": ""}]}, "relative"),
                       ({"code": "1", "files": [
                           {"path": "/etc/a", "content": ""}]}, "relative"),
                       ({"code": "1", "files": [
                           {"path": "a", "mode": 7}]}, "mode")]:
        r = s.call("run_python", **args)
        tap.ok(r.get("isError") is True and word in text(r),
               "wrong arguments are for the model: %s" % args, r)
    tap.ok(s.call("run_python", code="1", timeout_s=5)["isError"] is False,
           "a time at the limit is fine")
    s.end()


def running():
    s = Server()
    s.initialize()
    r = s.call("run_python", code="import sys\nprint(input(), sys.argv[1:], "
               "open('in.txt').read(), open('b.bin', 'rb').read())\n6 * 7",
               stdin="line\n", args=["a", "b c"],
               files=[{"path": "in.txt", "content": "text \u00e4"},
                      {"path": "/mnt/data/b.bin", "base64": "AP8="}])
    tap.equal((r["isError"], r["structuredContent"]["stdout"],
               r["structuredContent"]["result"]["repr"]),
              (False, "line ['a', 'b c'] text \u00e4 b'\\x00\\xff'\n", "42"),
              "input, arguments and files arrive")
    tap.ok("42" in text(r) and "Exit code 0" in text(r),
           "the text says it too", text(r))
    r = s.call("run_python", code="import sys\nprint('x')\n"
               "print('y', file=sys.stderr)\n1/0")
    t = text(r)
    tap.ok(r["isError"] is False and
           r["structuredContent"]["error"]["line"] == 4 and
           t.startswith("ZeroDivisionError") and "line 4" in t and
           "stderr:\ny\n" in t and t.count("Traceback") == 1,
           "an exception is a result: its lines once, stderr apart", t)
    r = s.call("run_python", code="import os\nos.system('id')")
    t = text(r)
    tap.ok(r["isError"] and r["structuredContent"]["status"] == "rejected"
           and r["structuredContent"]["executed"] is False
           and t.startswith("Rejected by policy default: not executed.")
           and "script.py:2:1" in t and "hint" in t,
           "a rejection names the line and a way out", t)
    t = text(s.call("run_python", code="import os\nos.system('id')"))
    tap.ok("2 times" in t, "sending it again is pointed out", t)
    r = s.call("check_python", code="import os\nos.system('id')")
    tap.ok(r["isError"] is False and
           r["structuredContent"]["verdict"]["decision"] == "reject",
           "a check that says no has done its work", r)
    r = s.call("check_python", code="x = 1")
    tap.ok(r["isError"] is False and "Passes" in text(r) and
           r["structuredContent"]["executed"] is False,
           "a check runs nothing", r)
    r = s.call("run_python", code="import time\nprint('before', flush=True)\n"
               "time.sleep(60)", timeout_s=0.5)
    tap.ok(r["isError"] and r["structuredContent"]["status"] == "timeout" and
           r["structuredContent"]["stdout"] == "before\n" and
           "before" in text(r) and "0.5 s" in text(r),
           "a time limit gives what was printed until then", text(r))
    r = s.call("run_python", code="print('x' * 100 + '\\n', end='')\n"
               "for i in range(5000): print(i, 'y' * 20)")
    t = text(r)
    tap.ok(len(t) < 15000 and "bytes are not shown" in t and "4999" in t and
           "xxxxx" in t and len(r["structuredContent"]["stdout"]) > 100000,
           "long output: head and tail as text, all of it in structure",
           len(t))
    r = s.call("run_python", return_files=True, code="import numpy\n"
               "import matplotlib.pyplot as plt\nfor i in range(3):\n"
               "    plt.figure()\n    plt.plot([i, 1])\nplt.show()\n"
               "open('t.csv', 'w').write('a,b')\n"
               "open('b.bin', 'wb').write(bytes([0, 255]))")
    kinds = [b["type"] for b in r["content"]]
    tap.equal(kinds, ["text"] + 3 * ["image"] + 2 * ["resource"],
              "all figures and the files come as blocks")
    res = {b["resource"]["uri"].split("/")[-1]: b["resource"]
           for b in r["content"] if b["type"] == "resource"}
    tap.ok(res["t.csv"]["text"] == "a,b" and
           res["t.csv"]["mimeType"] == "text/csv" and
           res["b.bin"]["blob"] == "AP8=", "with what they hold", res)
    tap.ok("data" not in json.dumps(r["structuredContent"]["images"]) and
           len(json.dumps(r["structuredContent"])) < 20000,
           "and no base64 in the structure")
    for script, error in [("open('t.csv')", "FileNotFoundError"),
                          ("numpy.arange(3)", "NameError")]:
        r = s.call("run_python", code=script)
        tap.ok(r["structuredContent"]["error"]["name"] == error and
               "each call is a new process" in text(r),
               "nothing is kept for the next call, which says so: " + error,
               text(r))
    r = s.call("run_python", code="print('a\0b')")
    tap.ok(r["isError"] and r["structuredContent"]["status"] == "rejected",
           "a NUL in the script is the gate's to refuse", r)
    r = s.call("list_packages")
    p = r["structuredContent"]
    names = [m for q in p["packages"] for m in q["modules"]]
    tap.ok("numpy" in names and "json" in p["standard_library"] and
           "ctypes" in p["rejected"] and "numpy" in text(r) and
           "ctypes" not in p["standard_library"],
           "list_packages: what may be imported, and what may not", p)
    one = s.ask("resources/read", {"uri": "sandgate://packages"})
    tap.equal(json.loads(one["result"]["contents"][0]["text"]), p,
              "the resource says the same")
    for uri in ["sandgate://policy/default", "sandgate://policy/strict"]:
        one = s.ask("resources/read", {"uri": uri})["result"]["contents"][0]
        tap.ok("rules" in one["text"] and one["uri"] == uri,
               "a policy can be read: " + uri, one)
    for uri in ["sandgate://policy/none", "file:///etc/passwd",
                "sandgate://policy/../../etc/passwd"]:
        tap.equal(code(s.ask("resources/read", {"uri": uri})), -32002,
                  "there is no " + uri)
        tap.equal(code(s.ask("resources/read", {"uri": uri}, modern=True)),
                  -32602, "nor in the newer protocol")
    s.end()


def plainly():
    """Clients that would show their model structured content alone."""
    figure = ("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\n"
              "print('drawn')")
    for client in ("claude-code", "codex-mcp-client", "copilot-cli"):
        s = Server()
        s.initialize(client=client)
        tools = s.ask("tools/list")["result"]["tools"]
        tap.equal([t["name"] for t in tools if "outputSchema" not in t],
                  ["run_python", "check_python", "list_packages"],
                  client + ": no tool promises structured content")
        r = s.call("run_python", code=figure)
        tap.ok("structuredContent" not in r and not r["isError"] and
               [c["type"] for c in r["content"]] == ["text", "image"] and
               "drawn" in text(r), client + ": text and image are all", r)
        r = s.call("run_python", code="import os\nos.system('id')")
        tap.ok("structuredContent" not in r and r["isError"] and
               "SG104" in text(r), client + ": a rejection is text", r)
        r = s.call("list_packages")
        tap.ok("structuredContent" not in r and "numpy" in text(r),
               client + ": packages are text", r)
        s.end()
    s = Server()
    known = dict(META, **{"io.modelcontextprotocol/clientInfo": {
        "name": "copilot-cli", "version": "3"}})
    for meta, structured in ((known, False), (META, True), (known, False)):
        s.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "run_python", "_meta": meta,
                           "arguments": {"code": "1"}}})
        tap.equal("structuredContent" in s.receive()["result"], structured,
                  "each request of 2026-07-28 says whose it is")
    s.end()


def at_once():
    s = Server("--workers", "4")
    s.initialize()

    def start(id, code, **meta):
        s.send({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": "run_python", "_meta": meta,
                           "arguments": {"code": code}}})

    start("slow", "import time\nprint('12345', flush=True)\n"
          "time.sleep(2.5)\nprint('slow')", progressToken="p-1")
    start("quick", "print('quick')")
    first = s.receive()
    while "method" in first:
        first = s.receive()
    tap.equal(first["id"], "quick", "a quick call overtakes a slow one")
    seen = []
    while (m := s.receive()).get("id") != "slow":
        seen.append(m)
    tap.ok(len(seen) >= 2 and
           all(m["method"] == "notifications/progress" and
               m["params"]["progressToken"] == "p-1" for m in seen),
           "progress every second, for who asked", seen)
    counts = [m["params"]["progress"] for m in seen]
    tap.ok(counts == sorted(set(counts)), "and it grows", counts)
    tap.ok(seen[-1]["params"]["message"].endswith(", 6 bytes of output"),
           "and says how much was written", seen[-1])
    tap.ok(s.quiet(1.2), "none after the answer")
    begun, ended = events("verdict"), events("outcome")
    start("x", "import time\nprint(1)\ntime.sleep(30)", progressToken=5)
    tap.ok(wait_for(lambda: len(events("verdict")) > len(begun)),
           "a long call begins")
    time.sleep(0.5)
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "x", "reason": "test"}})
    tap.ok(wait_for(lambda: len(events("outcome")) > len(ended), 15) and
           events("outcome")[-1] == "cancelled",
           "cancelling ends the run", events("outcome")[len(ended):])
    said = []
    while not s.quiet(0.1):
        said.append(s.receive())
    tap.ok(all(m.get("method") == "notifications/progress" for m in said) and
           s.quiet(1.5), "and nothing more is said of it", said)
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "never was"}})
    s.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    for i in range(20):
        start(i, "print(%d)" % i)
    got = {}
    for _ in range(20):
        m = s.receive()
        got[m["id"]] = m["result"]["structuredContent"]["stdout"]
    tap.equal(got, {i: "%d\n" % i for i in range(20)},
              "twenty at once: each gets its own")
    s.end()


def events(kind):
    """The status of each record of that kind, in order; None without one."""
    with open(os.environ["SANDGATE_AUDIT"], encoding="utf-8") as f:
        records = [json.loads(line) for line in f if line.endswith("\n")]
    return [r.get("status") for r in records if r["event"] == kind]


def overload():
    s = Server("--workers", "1", "--queue", "1")
    s.initialize()
    for i in range(4):
        s.send({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {
            "name": "run_python", "arguments": {
                "code": "import time\ntime.sleep(1)\nprint('ran')"}}})
    answers = {}
    for _ in range(4):
        m = s.receive()
        answers[m["id"]] = m["result"]
    status = sorted(r["structuredContent"]["status"]
                    for r in answers.values())
    busy = [r for r in answers.values()
            if r["structuredContent"]["status"] == "overloaded"]
    tap.equal(status, ["ok", "ok", "overloaded", "overloaded"],
              "what does not fit into the queue is refused")
    tap.ok(all(r["isError"] and r["structuredContent"]["retryable"] and
               r["structuredContent"]["verdict"] is None for r in busy),
           "as a result that says: later", busy)
    s.end()


def ending():
    s = Server()
    s.initialize()
    for i in range(3):
        s.send({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {
            "name": "run_python", "arguments": {"code": "print(%d)" % i}}})
    status, rest = s.end()
    tap.equal((status, sorted(m["id"] for m in rest)), (0, [0, 1, 2]),
              "at the end of input, what is under way still answers")
    for number in (signal.SIGTERM, signal.SIGINT):
        s = Server()
        s.initialize()
        s.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "run_python",
            "arguments": {"code": "import time\ntime.sleep(60)"}}})
        time.sleep(0.7)
        s.process.send_signal(number)
        try:
            tap.equal(s.process.wait(10), 0,
                      "signal %d ends it at once" % number)
        except subprocess.TimeoutExpired:
            tap.ok(False, "signal %d ends it at once" % number)
            s.process.kill()
    read, write = os.pipe()
    p = subprocess.Popen([os.environ["SANDGATE"], "mcp"], stdout=write,
                         stdin=subprocess.PIPE)
    os.close(write)
    os.close(read)
    try:
        tap.equal(p.wait(10), 0, "when nobody reads, it ends")
    except subprocess.TimeoutExpired:
        tap.ok(False, "when nobody reads, it ends")
        p.kill()
    p.stdin.close()


def deaf():
    """A client that sends and never reads must not keep it from ending."""
    read, write = os.pipe()
    p = subprocess.Popen([os.environ["SANDGATE"], "mcp"], stdout=write,
                         stdin=subprocess.PIPE)
    os.close(write)
    for i in range(100):
        p.stdin.write(json.dumps({
            "jsonrpc": "2.0", "id": i, "method": "tools/list",
            "params": {"_meta": META}}).encode() + b"\n")
    p.stdin.flush()
    time.sleep(0.5)
    p.send_signal(signal.SIGTERM)
    try:
        p.stdin.close()
    except BrokenPipeError:
        pass
    try:
        p.wait(10)
        tap.ok(True, "a client that does not read is given up")
    except subprocess.TimeoutExpired:
        tap.ok(False, "a client that does not read is given up")
        p.kill()
    os.close(read)


def purity():
    """Only the protocol on its output; a script can't get at it."""
    s = Server("--policy", "audit", stderr=subprocess.DEVNULL)
    s.initialize()
    r = s.call("run_python", code="import os\nfound = []\n"
               "for n in os.listdir('/proc/self/fd'):\n"
               "    try: found.append(os.readlink('/proc/self/fd/' + n))\n"
               "    except OSError: pass\nprint(found)\n"
               "os.write(1, b'{\"jsonrpc\":\"2.0\",\"id\":1}\\n')")
    ours = [os.readlink("/proc/%d/fd/%s" % (s.process.pid, fd))
            for fd in os.listdir("/proc/%d/fd" % s.process.pid)]
    pipes = [os.readlink("/proc/self/fd/%d" % s.process.stdin.fileno()),
             os.readlink("/proc/self/fd/%d" % s.process.stdout.fileno())]
    out = r.get("structuredContent", {}).get("stdout", "")
    tap.ok(all(p in ours for p in pipes), "the protocol has its pipes", ours)
    tap.ok(out and not any(p in out for p in pipes),
           "no script has them", out)
    fds = {fd: os.readlink("/proc/%d/fd/%s" % (s.process.pid, fd))
           for fd in ("0", "1")}
    tap.ok(fds["0"] == "/dev/null" and fds["1"] not in pipes,
           "nor has the server's standard input or output", fds)
    s.end()


def reloading():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "p.yaml")

    def write(rules):
        with open(path, "w", encoding="utf-8") as f:
            f.write("schema: 1\npolicy: small\nrules: " + rules + "\n")

    rule = ("[{id: R1, title: t, severity: high, action: reject, match: "
            "{ref: math.sqrt}, message: m, hint: h, tests: {hit: "
            "[\"import math; math.sqrt(1)\"], pass: [\"x\"]}}]")
    write("[]")
    s = Server("--policy", path, stderr=subprocess.PIPE)
    s.initialize()
    script = "import math\nprint(math.sqrt(4))"
    tap.equal(s.call("run_python", code=script)["structuredContent"]
              ["status"], "ok", "a policy from a file")
    write(rule)
    s.process.send_signal(signal.SIGHUP)
    tap.ok("anew" in s.process.stderr.readline().decode(),
           "SIGHUP loads it anew")
    tap.equal(s.call("run_python", code=script)["structuredContent"]
              ["status"], "rejected", "and the next script is judged by it")
    write("[{id: nonsense")
    s.process.send_signal(signal.SIGHUP)
    said = ""
    while "stays" not in said and len(said) < 4000:
        said += s.process.stderr.readline().decode()
    tap.ok("p.yaml" in said and "stays" in said,
           "a bad one is named, and changes nothing", said)
    tap.equal(s.call("run_python", code=script)["structuredContent"]
              ["status"], "rejected", "the old one still judges")
    one = s.ask("resources/read", {"uri": "sandgate://policy/small"})
    tap.ok("nonsense" in one["result"]["contents"][0]["text"] or
           "result" in one, "its text can be read", one)
    s.end()
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


def configs():
    def config(client, *options):
        return subprocess.run(
            [os.environ["SANDGATE"], "mcp", *options, "--print-config",
             client], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    for client, member in [("claude", "mcpServers"),
                           ("cursor", "mcpServers"), ("vscode", "servers")]:
        v = json.loads(config(client, "--policy", "strict", "-t", "5").stdout)
        entry = v[member]["sandgate"]
        tap.equal((os.path.realpath(entry["command"]), entry["args"]),
                  (os.path.realpath(os.environ["SANDGATE"]),
                   ["mcp", "--policy", "strict", "-t", "5"]),
                  "configuration for " + client)
    out = config("codex", "--cold").stdout.decode()
    tap.ok(out.startswith("[mcp_servers.sandgate]\n") and
           'args = ["mcp","--cold"]' in out, "configuration for codex", out)
    v = json.loads(config("claude", "-p", "my.yaml", "--audit=a/log",
                          "--env", "A=./b").stdout)
    here = os.getcwd()
    tap.equal(v["mcpServers"]["sandgate"]["args"],
              ["mcp", "-p", here + "/my.yaml", "--audit=" + here + "/a/log",
               "--env", "A=./b"], "files are found from any folder")
    bad = config("emacs")
    tap.ok(bad.returncode == 2 and b"emacs" in bad.stderr,
           "an unknown client is named", bad)
    for options, word in [(("x",), b"'x'"), (("--policy", "none"), b"none"),
                          (("--workers", "5000"), b"workers"),
                          (("--python", "/nowhere"), b"nowhere")]:
        r = subprocess.run([os.environ["SANDGATE"], "mcp", *options],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
        tap.ok(r.returncode == 2 and word in r.stderr and not r.stdout,
               "it can't start with %s" % " ".join(options), r)


for part in [framing, eras, batches, arguments, running, plainly, at_once,
             overload, ending, deaf, purity, reloading, configs]:
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        part()
tap.end()
