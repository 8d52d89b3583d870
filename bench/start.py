#!/usr/bin/env python3
"""Measures what commands cost that judge one file and end.

    start.py PROGRAM

Hooks and editors call `check` for each event, and every cold run begins with
the same work.  All take turns in one run, the medians count, and what an empty
program takes on this host is taken off: it is not ours.  Time is that of the
processor; a script that is rejected shows all of `run` but the box.
"""

import os
import statistics
import sys
import tempfile

ROUNDS = 60
LINE = "print(sum(range(10)))\n"
REJECTED = "import ctypes\n"


def once(command):
    """Processor time of a command in milliseconds, with that of the system."""
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)])
    os.close(null)
    usage = os.wait4(pid, 0)[2]
    return (usage.ru_utime + usage.ru_stime) * 1000


def say(what, value, most):
    print("%-44s %9.2f %-4s  %-10s %s" %
          (what, value, "ms", "<= %s ms" % most,
           "" if value <= most else "MISSED"))


def main(argv):
    program = os.path.abspath(argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SANDGATE_AUDIT"] = os.path.join(folder, "audit.jsonl")
        line, rejected = (os.path.join(folder, name)
                          for name in ("line.py", "rejected.py"))
        for path, text in ((line, LINE), (rejected, REJECTED)):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        commands = {
            "empty": ["/bin/true"],
            "version": [program, "version"],
            "check": [program, "check", line],
            "rejected": [program, "run", rejected],
        }
        taken = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(once(command))
    middle = {name: statistics.median(v) for name, v in taken.items()}
    empty = middle["empty"]
    print("an empty program: %.2f ms" % empty)
    say("start of the command, nothing asked", middle["version"] - empty, 1)
    say("check of one line, end to end", middle["check"] - empty, 3)
    say("run of what is rejected, end to end", middle["rejected"] - empty, 3)


main(sys.argv)
