#!/usr/bin/env python3
"""The same script by command, HTTP and MCP gives the same document.

    shape.py PROGRAM URL

Same members in the same order, same values but for those that differ from run
to run.
"""

import json
import subprocess
import sys
import urllib.request

# What is of one run, or of how it was asked for.
OF_ONE = {"id", "file", "usage", "audit", "peak_memory_bytes"}

SCRIPTS = {
    "a value, output, a file and an image": """
import sys
import matplotlib.pyplot as plt
print("out")
print("err", file=sys.stderr)
with open("made.txt", "w") as f:
    f.write("text")
plt.plot([1, 2, 3])
plt.show()
{"a": 1}
""",
    "an exception": "def f():\n    return 1 / 0\nprint('before')\nf()\n",
    "an exit status": "import sys\nsys.exit(3)\n",
    "rejected": "import ctypes\nimport os\nos.system('id')\n",
    "annotated": "import os\nprint(len(os.listdir('.')))\n",
    "no program": "def f(:\n",
    "nothing": "",
    "a time limit": "while True:\n    pass\n",
}


def limit(code):
    return 1 if "while" in code else 25


def command(program, code):
    # What comes without a name is called so in tracebacks.
    with open("script.py", "w", encoding="utf-8") as f:
        f.write(code)
    done = subprocess.run([program, "run", "--json", "--timeout",
                           str(limit(code)), "script.py"],
                          capture_output=True, check=False)
    return json.loads(done.stdout)


def post(url, path, message):
    request = urllib.request.Request(
        url + path, json.dumps(message).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def by_http(url, code):
    return post(url, "/v1/run", {"code": code, "timeout_s": limit(code)})


def by_mcp(url, code):
    answer = post(url, "/mcp", {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "run_python",
                   "arguments": {"code": code, "timeout_s": limit(code)}}})
    return answer["result"]["structuredContent"]


def compare(a, b, where, faults, skip):
    if type(a) is not type(b):
        faults.append("%s: %r and %r" % (where, a, b))
    elif isinstance(a, dict):
        left = [k for k in a if k not in skip]
        right = [k for k in b if k not in skip]
        if left != right:
            faults.append("%s: members %r and %r" % (where, left, right))
        for key in left:
            if key in b and key not in OF_ONE:
                compare(a[key], b[key], where + "." + key, faults, skip)
    elif isinstance(a, list):
        if len(a) != len(b):
            faults.append("%s: %d and %d items" % (where, len(a), len(b)))
        for i, (x, y) in enumerate(zip(a, b)):
            compare(x, y, "%s[%d]" % (where, i), faults, skip)
    elif a != b and not where.endswith((".detail", ".data", ".sha256",
                                        ".bytes", ".traceback")):
        faults.append("%s: %r and %r" % (where, a, b))


def main(argv):
    program, url = argv[1:]
    faults = []
    for name, code in SCRIPTS.items():
        ours = command(program, code)
        compare(ours, by_http(url, code), "HTTP: %s: " % name, faults, ())
        # Images are blocks of their own there, and files resources.
        compare(ours, by_mcp(url, code), "MCP: %s: " % name, faults,
                ("data",))
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main(sys.argv))
