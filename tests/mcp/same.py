#!/usr/bin/env python3
"""One script, three doors: `run --json`, MCP and HTTP give the same object.

What differs from run to run (names, times, sizes, places in the log) is left
out; all the rest must be equal, and fit docs/result.schema.json.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import jsonschema

from server import Server, Tap

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = {
    "a value and output": "print('hi')\n[1, 2]",
    "an exception": "x = 1\nraise ValueError('no')",
    "an exit status": "import sys\nprint('a')\nsys.exit(4)",
    "a rejection": "import os\nos.system('id')",
    "what can't be read": "def f(:",
    "a limit": "while True: pass",
    "files": "open('a.txt', 'w').write('abc')\nprint(open('a.txt').read())",
    "a figure": "import matplotlib\nmatplotlib.use('Agg')\n"
                "import matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()",
    "bytes that are no text": "import sys\n"
                              "sys.stdout.buffer.write(b'a\\xffb')",
}
VOLATILE = {"id", "wall_us", "cpu_us", "setup_us", "gate_us",
            "peak_memory_bytes", "sequence", "uid", "fingerprint", "data",
            "file"}

tap = Tap()


def stable(v):
    """`v` without what is new each time."""
    if isinstance(v, dict):
        return {k: stable(w) for k, w in v.items() if k not in VOLATILE}
    if isinstance(v, list):
        return [stable(w) for w in v]
    return v


def by_command(path, seconds):
    out = subprocess.run([os.environ["SANDGATE"], "run", "--json", "-t",
                          str(seconds), path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    return json.loads(out.stdout)


def by_http(port, code, seconds):
    req = urllib.request.Request(
        "http://127.0.0.1:%d/v1/run" % port,
        json.dumps({"code": code, "name": "script.py",
                    "timeout_s": seconds}).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(req, timeout=60) as f:
        return json.loads(f.read())


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve(port):
    """An HTTP server that answers."""
    p = subprocess.Popen([os.environ["SANDGATE"], "serve",
                          "--listen", "127.0.0.1:%d" % port],
                         stderr=subprocess.DEVNULL)
    for _ in range(300):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return p
        time.sleep(0.1)
    return p


def differences(a, b, where=""):
    """Paths at which two values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(set(a) | set(b))
                for d in differences(a.get(k, "(none)"), b.get(k, "(none)"),
                                     where + "/" + k)]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b))
                for d in differences(x, y, "%s/%d" % (where, i))]
    return [] if a == b else ["%s: %.100r, %.100r" % (where, a, b)]


def main():
    with open(os.path.join(HERE, "../../docs/result.schema.json"),
              encoding="utf-8") as f:
        schema = json.load(f)
    validator = jsonschema.Draft202012Validator(schema)
    port = free_port()
    http = serve(port)
    mcp = Server(stderr=subprocess.DEVNULL)
    mcp.initialize()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "script.py")
    for what, code in SCRIPTS.items():
        with open(path, "w", encoding="utf-8") as f:
            f.write(code)
        seconds = 1 if what == "a limit" else 30
        results = {
            "run --json": by_command(path, seconds),
            "MCP": mcp.call("run_python", code=code,
                            timeout_s=seconds)["structuredContent"],
            "HTTP": by_http(port, code, seconds),
        }
        for door, r in results.items():
            faults = [e.message for e in validator.iter_errors(r)]
            tap.ok(not faults, "%s, %s: fits the schema" % (door, what),
                   faults)
        want = stable(results["run --json"])
        for door in ("MCP", "HTTP"):
            d = differences(want, stable(results[door]))
            tap.ok(not d, "%s says of %s what 'run --json' says"
                   % (door, what), d)
    os.unlink(path)
    os.rmdir(folder)
    mcp.end()
    http.terminate()
    tap.equal(http.wait(60), 0, "the HTTP server ends")


main()
tap.end()
