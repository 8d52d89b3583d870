#!/usr/bin/env python3
"""Makes each stage fail and sees that nothing passes that should not.

    closed.py PROGRAM

Every command is run under limits of memory, descriptors, file size and
processes, from none at all to plenty.  Whatever fails then, a script that the
policy rejects is never passed nor run, a script that passes is either
answered in full or refused, and the audit log stays whole.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

GOOD = 'print("w" + "orks")\n'
BAD = 'import os\nos.system("echo esc" + "aped")\n'
MIB = 1 << 20
LIMITS = {
    "memory": (resource.RLIMIT_AS, [m * MIB for m in (
        6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48,
        64, 96, 160, 400)]),
    "descriptors": (resource.RLIMIT_NOFILE, list(range(3, 24)) + [40]),
    "file size": (resource.RLIMIT_FSIZE, [0, 1, 100, 500, 900, 1000, 1500,
                                          2000, 100000]),
    "processes": (resource.RLIMIT_NPROC, [0, 1, 2]),
}
ROWS = "".join(json.dumps({"text": t}) + "\n" for t in (GOOD, BAD, GOOD))


class Sweep:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.log = str(self.folder / "log")
        self.good = self.bad = 0
        (self.folder / "good.py").write_text(GOOD)
        (self.folder / "bad.py").write_text(BAD)

    def run(self, limit, value, *args, text=None):
        def narrow():
            resource.setrlimit(limit, (value, value))
        try:
            return subprocess.run(
                [self.program, *args], cwd=self.folder, input=text or "",
                capture_output=True, text=True, timeout=60, check=False,
                preexec_fn=narrow,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        except (OSError, subprocess.SubprocessError) as e:
            # The limit did not even let the program be started.
            return subprocess.CompletedProcess(args, 1, "", str(e))

    def says(self, what, holds, done):
        if holds:
            self.good += 1
            return
        self.bad += 1
        print(f"FAILED: {what}: exit status {done.returncode}")
        print("    out:", done.stdout[:300])
        print("    err:", done.stderr[:300])

    def whole(self, what):
        """Whatever was written, no line of the log is lost or torn."""
        if not os.path.exists(self.log):
            return
        done = subprocess.run([self.program, "audit", "verify", self.log],
                              capture_output=True, text=True, check=False)
        self.says(what + ": the log", done.returncode == 0, done)

    def commands(self, what, limit, value):
        done = self.run(limit, value, "check", "bad.py")
        self.says(what + ": check bad", done.returncode in (1, 2, 127, 139)
                  and ": pass" not in done.stdout, done)
        done = self.run(limit, value, "check", "good.py")
        self.says(what + ": check good",
                  (done.returncode == 0) == (": pass" in done.stdout), done)
        done = self.run(limit, value, "check", "--audit", self.log, "good.py")
        self.says(what + ": check good, recorded",
                  done.returncode != 0 or ": pass" in done.stdout, done)
        self.whole(what)
        done = self.run(limit, value, "run", "--audit", self.log, "bad.py")
        self.says(what + ": run bad", done.returncode != 0
                  and "escaped" not in done.stdout, done)
        done = self.run(limit, value, "run", "--audit", self.log, "good.py")
        self.says(what + ": run good",
                  done.returncode != 0 or done.stdout == "works\n", done)
        self.whole(what)
        done = self.run(limit, value, "filter", text=ROWS)
        rows = [json.loads(l) for l in done.stdout.splitlines()
                if l.endswith("}")]
        decisions = [r["sandgate"]["decision"] for r in rows]
        self.says(what + ": filter", decisions[1:2] in ([], ["reject"])
                  and (done.returncode != 0 or len(rows) == 3), done)


def main(argv):
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(argv[1], folder)
        for name, (limit, values) in LIMITS.items():
            for value in values:
                sweep.commands(f"{name} {value}", limit, value)
        print(f"{sweep.good} passed, {sweep.bad} failed")
    return 1 if sweep.bad else 0


sys.exit(main(sys.argv))
