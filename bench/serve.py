#!/usr/bin/env python3
"""Measures runs end to end: over a Unix socket, with an audit log, warm.

    serve.py PROGRAM [SECONDS]

The same scripts run in turns by `sandgate serve`, and cold by `bwrap` and by
`crun` with the same interpreter where those are installed: a tool call as
people build it without a server.  Throughput is that of eight clients; the
server's own CPU time, without what runs in boxes, and how often its threads
had to wait are counted over it, and tell more than rates on a busy machine.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
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
WARM, COLD, RATE = 60, 3, 500
# Between two calls of one client, as a model leaves it and more: in it the
# next box is built.  What comes of no pause at all is shown as well.
PAUSE = 0.02
CLIENTS = 8


class Client:
    """One connection that is kept."""

    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.connect(path)

    def get(self, path):
        return self.post(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                         % path.encode())

    def post(self, message):
        self.s.sendall(message)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.s.recv(1 << 20)
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1])
                      for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:"))
        while len(body) < length:
            body += self.s.recv(1 << 20)
        if head.split()[1] != b"200":
            sys.exit("serve.py: %r" % body[:300])
        return body


def request(code):
    body = json.dumps({"code": code}).encode()
    return (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(body)) + body


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

    def stand(self):
        """Waits until every set of modules is loaded."""
        for _ in range(1000):
            text = Client(self.path).get("/metrics").decode()
            up = [line.endswith(" 1") for line in text.splitlines()
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

def report(what, value, unit, hold, good):
    print("%-44s %9.2f %-4s  %-10s %s"
          % (what, value, unit, hold, "" if good else "MISSED"))


def share(samples):
    """What is not spent in the box: HTTP, gate, records, queue."""
    return statistics.median(
        took - (d["usage"]["wall_us"] + d["usage"]["setup_us"]) / 1000
        for took, d in samples)


def measure(server, python, folder, name, code, hold50, hold99):
    client, message = Client(server.path), request(code)
    ways = cold_ways(folder, python, code)
    cold = {way: [] for way in ways}
    samples = []
    for _ in range(10):
        client.post(message)
    for i in range(WARM * (5 if hold99 else 1)):
        time.sleep(PAUSE)
        start = time.monotonic()
        body = client.post(message)
        took = (time.monotonic() - start) * 1000
        samples.append((took, json.loads(body)))
        if i % (WARM // COLD) == 0:
            for way, command in ways.items():
                cold[way].append(once(command))
    times = sorted(took for took, _ in samples)
    p50, p99 = statistics.median(times), times[len(times) * 99 // 100]
    report("warm run over HTTP, %s, p50" % name, p50, "ms",
           "<= %d ms" % hold50, p50 <= hold50)
    if hold99:
        report("warm run over HTTP, %s, p99" % name, p99, "ms",
               "<= %d ms" % hold99, p99 <= hold99)
    print("    of it outside the box %.2f ms%s" % (share(samples), "".join(
        "; %s cold %.1f ms, %.0f times as long"
        % (way, statistics.median(t), statistics.median(t) / p50)
        for way, t in cold.items())))


def without_pauses(server):
    client, message, times = Client(server.path), request(CASES[0][1]), []
    for _ in range(WARM * 5):
        start = time.monotonic()
        client.post(message)
        times.append((time.monotonic() - start) * 1000)
    print("    the first without pauses: p50 %.2f, p99 %.2f ms"
          % (statistics.median(times), sorted(times)[len(times) * 99 // 100]))


def throughput(server, seconds):
    message, counts = request(CASES[0][1]), []
    end = time.monotonic() + seconds

    def work():
        client, n = Client(server.path), 0
        while time.monotonic() < end:
            client.post(message)
            n += 1
        counts.append(n)

    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    before = server.spent()
    start = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    rate = sum(counts) / (time.monotonic() - start)
    user, system, waits = (
        (now - then) / sum(counts)
        for now, then in zip(server.spent(), before))
    report("warm runs over HTTP, stdlib, %d clients" % CLIENTS, rate, "/s",
           ">= %d /s" % RATE, rate >= RATE)
    print("    the server itself, for each: %.2f ms of CPU time (%.2f user, "
          "%.2f system), %.1f waits" % (user + system, user, system, waits))


def main(argv):
    program = argv[1]
    seconds = float(argv[2]) if len(argv) > 2 else 5
    done = subprocess.run([program, "doctor", "--json"], text=True,
                          stdout=subprocess.PIPE)
    python = json.loads(done.stdout)["interpreter"]["detail"].split(",")[0]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Server(program, folder)
        try:
            server.stand()
            for case in CASES:
                measure(server, python, folder, *case)
            without_pauses(server)
            throughput(server, seconds)
        finally:
            server.stop()


main(sys.argv)
