#!/usr/bin/env python3
"""What a host charges for a fork alone, beneath what a warm run takes.

    floor.py [SECONDS]

An interpreter that has imported what a warm one has forks for each run, and
the fork runs the script of bench/serve.py: no box, no limits, no gate, no
record, and nobody asks over a socket.  One fork at a time with pauses, then as
many a second as two processes of the kind can.
"""

import gc
import os
import statistics
import sys
import time

MODULES = ("base64 bisect collections contextlib copy csv dataclasses "
           "datetime decimal enum fractions functools heapq io itertools json "
           "linecache math operator os pathlib random re statistics string "
           "struct textwrap time traceback typing warnings")
CODE = "import json, re\nprint(json.dumps({'a': [1, 2, 3]}))\n"
RUNS, PAUSE, PROCESSES = 200, 0.02, 2


def run():
    """Milliseconds until the fork is gone and what it printed is read."""
    begin = time.monotonic()
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 1)
        exec(compile(CODE, "script.py", "exec"), {"__name__": "__main__"})
        sys.stdout.flush()
        os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as f:
        text = f.read()
    os.waitpid(pid, 0)
    if text != b'{"a": [1, 2, 3]}\n':
        sys.exit("floor.py: %r" % text)
    return (time.monotonic() - begin) * 1000


def alone():
    times = []
    for _ in range(RUNS):
        time.sleep(PAUSE)
        times.append(run())
    return statistics.median(times)


def rate(seconds):
    ours, theirs = os.pipe()
    for _ in range(PROCESSES):
        if os.fork() == 0:
            end, n = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                run()
                n += 1
            os.write(theirs, b"%d\n" % n)
            os._exit(0)
    for _ in range(PROCESSES):
        os.wait()
    os.close(theirs)
    with open(ours) as f:
        return sum(int(line) for line in f) / seconds


def main(argv):
    seconds = float(argv[1]) if len(argv) > 1 else 4
    for module in MODULES.split():
        __import__(module)
    gc.collect()
    gc.freeze()
    print("a fork of a warm interpreter and nothing else: p50 %.2f ms, "
          "%.0f /s" % (alone(), rate(seconds)))


main(sys.argv)
