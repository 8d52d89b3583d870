#!/usr/bin/env python3
"""Measures a cold run: the whole of `sandgate run` over bare `python3 -I`.

    cold.py PROGRAM

Both run the same script on the same interpreter in turns; the medians are
compared.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 40
CASES = [
    ("a script of one line", "print(sum(range(10)))\n"),
    ("json and re", "import json, re\nprint(json.dumps({'a': 1}))\n"),
]


def once(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.monotonic() - start) * 1000


def interpreter(program):
    """The one that `run` starts; PATH may have another, or a wrapper."""
    done = subprocess.run([program, "doctor", "--json"], text=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["interpreter"]["detail"].split(",")[0]


def main(argv):
    program = argv[1]
    python = interpreter(program)
    for name, code in CASES:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
            f.write(code)
            f.flush()
            bare, boxed = [], []
            for _ in range(ROUNDS):
                bare.append(once([python, "-I", f.name]))
                boxed.append(once([program, "run", f.name]))
        a, b = statistics.median(bare), statistics.median(boxed)
        print("cold run, %s: %.1f ms over %.1f ms bare" % (name, b, a))
        print("%-44s %9.2f %-4s  %-10s %s" %
              ("cold run beyond bare python", b - a, "ms", "<= 8 ms",
               "" if b - a <= 8 else "MISSED"))


main(sys.argv)
