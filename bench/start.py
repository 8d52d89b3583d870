#!/usr/bin/env python3
"""Measures what commands cost that judge one file and end.

    start.py PROGRAM

Hooks and editors call `check` for each event, and every cold run begins with
the same work.  All take turns in one run, the least time of each counts, and what
an empty program takes on this host is taken off: it is not ours.  Time is that of the
processor; a script that is rejected shows all of `run` but the box.
"""

import json
import os
import sys
import tempfile

ROUNDS = 60
LINE = "print(sum(range(10)))\n"
REJECTED = "import ctypes\n"
EVENT = {"hook_event_name": "PreToolUse", "tool_name": "Write",
         "tool_input": {"file_path": "line.py", "content": LINE}}


def once(command, text):
    """Processor time of a command in milliseconds, with that of the system;
    `text` is the file that is its standard input."""
    actions = [(os.POSIX_SPAWN_OPEN, 0, text, os.O_RDONLY, 0)]
    actions += [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0)
                for fd in (1, 2)]
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=actions)
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
        line, rejected, event = (
            os.path.join(folder, name)
            for name in ("line.py", "rejected.py", "event.json"))
        for path, text in ((line, LINE), (rejected, REJECTED),
                           (event, json.dumps(EVENT))):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        commands = {
            "empty": ["/bin/true"],
            "version": [program, "version"],
            "check": [program, "check", line],
            "hook": [program, "hook"],
            "rejected": [program, "run", rejected],
        }
        taken = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(once(command, event))
    least = {name: min(v) for name, v in taken.items()}
    empty = least["empty"]
    print("an empty program: %.2f ms" % empty)
    say("start of the command, nothing asked", least["version"] - empty, 1)
    say("check of one line, end to end", least["check"] - empty, 3)
    say("hook of one event, end to end", least["hook"] - empty, 3)
    say("run of what is rejected, end to end", least["rejected"] - empty, 3)


main(sys.argv)
