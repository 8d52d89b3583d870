#!/usr/bin/env python3
"""Measures runs end to end: over a Unix socket, with an audit log, warm.

    serve.py PROGRAM [SECONDS]

The client is bench/load, which costs next to nothing.  Each script is run with
pauses between the calls, as a model leaves them, and back to back; in turns
with both it is run cold by `bwrap` and by `crun` with the same interpreter
where those are installed: a tool call as people build it without a server.
What the host charges for a fork alone (floor.py) is measured in the same run.

Throughput is that of many clients that never pause; the server's own CPU time,
without what runs in boxes, and how often its threads had to wait are counted
over it, and tell more than rates on a busy machine.
"""

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# name, script, p50 and p99 in ms to hold (None: shown only)
CASES = [
    ("stdlib", "import json, re\nprint(json.dumps({'a': [1, 2, 3]}))\n",
     3, 10),
    ("numpy", "import numpy as np\nprint(np.arange(9).reshape(3, 3).sum())\n",
     5, None),
    ("pandas", "import pandas as pd\n"
     "print(pd.DataFrame({'a': [1, 2], 'b': [3, 4]}).sum().to_dict())\n",
     10, None),
    ("matplotlib", "import matplotlib.pyplot as plt\nfig = plt.figure()\n"
     "print(len(fig.axes))\nplt.close(fig)\n", 10, None),
]
ROUNDS, EACH, RATE = 3, 20, 500
MORE = 5  # times as many calls where a p99 is shown
# Milliseconds between two calls of one client; in them the next box is built.
PAUSE = 20
CLIENTS = (8, 64)
HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    def __init__(self, program, folder):
        self.path = os.path.join(folder, "s")
        self.log = open(os.path.join(folder, "log"), "w+")
        self.child = subprocess.Popen(
            [program, "serve", "--unix", self.path, "--eager", "--audit",
             os.path.join(folder, "audit")], stderr=self.log)
        for _ in range(1000):
            if os.path.exists(self.path):
                break
            time.sleep(0.01)

    def get(self, path):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(self.path)
            s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n"
                      b"Connection: close\r\n\r\n" % path.encode())
            parts = iter(lambda: s.recv(1 << 20), b"")
            return b"".join(parts).partition(b"\r\n\r\n")[2].decode()

    def stand(self):
        """Waits until every set of modules is loaded."""
        for _ in range(1000):
            up = [line.endswith(" 1")
                  for line in self.get("/metrics").splitlines()
                  if line.startswith("sandgate_warm_up{")]
            if up and all(up):
                return
            time.sleep(0.05)
        sys.exit("serve.py: no warm interpreters")

    def spent(self):
        """Of the process itself so far: ms of user and system time, and
        how often its threads waited."""
        proc = "/proc/%d/" % self.child.pid
        with open(proc + "stat") as f:
            fields = f.read().rpartition(")")[2].split()
        ms = [int(n) * 1000 / os.sysconf("SC_CLK_TCK") for n in fields[11:13]]
        waits = 0
        for task in os.listdir(proc + "task"):
            with open(proc + "task/%s/status" % task) as f:
                waits += int(next(line.split()[1] for line in f
                                  if line.startswith("voluntary_ctxt")))
        return ms + [waits]

    def stop(self):
        self.child.terminate()
        self.child.wait()


class Load:
    """The client, for one script."""

    def __init__(self, program, server, folder, code):
        self.program = os.path.join(os.path.dirname(program), "bench/load")
        self.server = server
        self.body = os.path.join(folder, "body.json")
        with open(self.body, "w") as f:
            json.dump({"code": code}, f)

    def __call__(self, *options):
        """(ms, ms outside the box) of each answer; all must be results."""
        done = subprocess.run(
            [self.program, "-r", *map(str, options), self.server.path,
             self.body], stdout=subprocess.PIPE, text=True, check=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        other = [row[0] for row in rows if row[0] != "200"]
        if other or not rows:
            sys.exit("serve.py: %d of %d answers are no results: %s"
                     % (len(other), len(rows), " ".join(other[:5])))
        return [(int(us) / 1000, (int(us) - int(box)) / 1000)
                for _, us, box in rows]


# ---- cold ----

def bwrap(python, script):
    return ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind",
            "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink",
            "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--symlink", "usr/bin", "/bin", "--proc",
            "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind",
            script, "/script.py", python, "-I", "/script.py"]


def crun_bundle(folder, python, script):
    """A bundle that shows the container what bwrap() shows."""
    root = os.path.join(folder, "rootfs")
    for name in ("usr", "proc", "dev", "tmp", "etc"):
        os.makedirs(os.path.join(root, name))
    for name in ("lib", "lib64", "bin"):
        os.symlink("usr/" + name, os.path.join(root, name))
    open(os.path.join(root, "script.py"), "w").close()
    config = {
        "ociVersion": "1.0.0",
        "process": {"terminal": False, "user": {"uid": 0, "gid": 0},
                    "args": [python, "-I", "/script.py"], "cwd": "/",
                    "env": ["PATH=/usr/bin"], "noNewPrivileges": True},
        "root": {"path": "rootfs", "readonly": True},
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/usr", "type": "bind", "source": "/usr",
             "options": ["rbind", "ro"]},
            {"destination": "/etc", "type": "bind", "source": "/etc",
             "options": ["rbind", "ro"]},
            {"destination": "/script.py", "type": "bind", "source": script,
             "options": ["bind", "ro"]}],
        "linux": {"namespaces": [{"type": t} for t in
                                 ("pid", "mount", "ipc", "uts", "network")]},
    }
    with open(os.path.join(folder, "config.json"), "w") as f:
        json.dump(config, f)
    return ["crun", "--cgroup-manager=disabled", "run", "--bundle", folder,
            "sandgate-bench-%d" % os.getpid()]


def cold_ways(folder, python, code):
    """name -> command, of those that work here."""
    script = os.path.join(folder, "script.py")
    with open(script, "w") as f:
        f.write(code)
    bundle = tempfile.mkdtemp(dir=folder)
    crun = crun_bundle(bundle, python, script)
    # It refuses hosts with control groups of both versions, unless it does
    # not see the second.
    blind = ["unshare", "-m", "sh", "-c",
             "umount -l /sys/fs/cgroup/unified && exec \"$@\"", "-"]
    ways = {}
    for name, command in (("bwrap", bwrap(python, script)), ("crun", crun),
                          ("crun", blind + crun)):
        if name not in ways and shutil.which(name) and once(command):
            ways[name] = command
    return ways


def once(command):
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode != 0 or not done.stdout:
        return None
    return (time.monotonic() - start) * 1000


# ---- measuring ----

def floor(python):
    """What a fork of a warm interpreter costs and nothing else: p50 in ms,
    and how many there can be a second."""
    done = subprocess.run([python, os.path.join(HERE, "floor.py"), "2"],
                          stdout=subprocess.PIPE, text=True, check=True)
    print("    " + done.stdout.strip())
    p50, rate = re.search(r"p50 ([\d.]+) ms, (\d+) /s", done.stdout).groups()
    return float(p50), float(rate)


def report(what, value, unit, goal, bare=None, less=True):
    """One figure, as a ratio to its goal and to what a fork alone takes."""
    ratio = value / goal if goal else None
    good = not goal or (ratio <= 1 if less else ratio >= 1)
    print("%-40s %8.2f %-3s%s%s%s" % (
        what, value, unit,
        "  %s %4g %-3s %5.2f of it" % ("<=" if less else ">=", goal, unit,
                                       ratio) if goal else "",
        "  %5.2f of a fork's" % (value / bare) if bare else "",
        "" if good else "  MISSED"))


def p50(samples):
    return statistics.median(took for took, _ in samples)


def p99(samples):
    times = sorted(took for took, _ in samples)
    return times[len(times) * 99 // 100]


def measure(load, ways, name, hold50, hold99, bare):
    n = EACH * (MORE if hold99 else 1)
    paced, dense = [], []
    cold = {way: [] for way in ways}
    load("-n", 10)
    for _ in range(ROUNDS):
        paced += load("-n", n, "-p", PAUSE)
        dense += load("-n", n)
        for way, command in ways.items():
            cold[way].append(once(command))
    report("%s, %d ms between calls, p50" % (name, PAUSE), p50(paced), "ms",
           hold50, bare)
    if hold99:
        report("%s, %d ms between calls, p99" % (name, PAUSE), p99(paced),
               "ms", hold99)
    report("%s, back to back, p50" % name, p50(dense), "ms", None, bare)
    if hold99:
        report("%s, back to back, p99" % name, p99(dense), "ms", None)
    print("    outside the box %.2f ms%s" % (
        statistics.median(rest for _, rest in paced), "".join(
            "; %s cold %.1f ms, %.0f times as long"
            % (way, statistics.median(t), statistics.median(t) / p50(paced))
            for way, t in cold.items())))


def throughput(load, clients, seconds, bare):
    before, begun = load.server.spent(), time.monotonic()
    samples = load("-c", clients, "-s", seconds)
    n, took = len(samples), time.monotonic() - begun
    report("stdlib, %d clients, runs a second" % clients, n / took, "/s",
           RATE, bare, less=False)
    user, system, waits = ((now - then) / n for now, then
                           in zip(load.server.spent(), before))
    print("    p50 %.1f, p99 %.1f ms; the server itself, for each: %.2f ms of "
          "CPU time (%.2f user, %.2f system), %.1f waits"
          % (p50(samples), p99(samples), user + system, user, system, waits))


def main(argv):
    program = os.path.abspath(argv[1])
    seconds = float(argv[2]) if len(argv) > 2 else 5
    done = subprocess.run([program, "doctor", "--json"], text=True,
                          stdout=subprocess.PIPE)
    python = json.loads(done.stdout)["interpreter"]["detail"].split(",")[0]
    print("over HTTP on a Unix socket, with an audit log on disk, warm:")
    bare, bare_rate = floor(python)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Server(program, folder)
        try:
            server.stand()
            for name, code, hold50, hold99 in CASES:
                measure(Load(program, server, folder, code),
                        cold_ways(folder, python, code), name, hold50, hold99,
                        bare if name == "stdlib" else None)
            load = Load(program, server, folder, CASES[0][1])
            for clients in CLIENTS:
                throughput(load, clients, seconds, bare_rate)
        finally:
            server.stop()


main(sys.argv)
