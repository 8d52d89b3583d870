#!/usr/bin/env python3
"""Runs the server as its systemd unit would have it run, without systemd.

    unit.py UNIT PROGRAM

What is taken over: the filter of system calls, no new privileges, an ordinary
user (when we are root), an empty bounding set, the socket.  Ends with 0 when
scripts can be run so.
"""

import ctypes
import ctypes.util
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

NOBODY = 65534
EPERM = 1
ERRNO = 0x00050000
ALLOW = 0x7FFF0000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38


def settings(unit, name):
    with open(unit, encoding="utf-8") as f:
        return re.findall("^%s=(.*)$" % name, f.read(), re.M)


def calls(names):
    """Groups of systemd taken apart."""
    out, todo, seen = set(), list(names), set()
    while todo:
        name = todo.pop()
        if not name.startswith("@"):
            out.add(name)
        elif name not in seen:
            seen.add(name)
            text = subprocess.run(
                ["systemd-analyze", "syscall-filter", "--no-pager", name],
                check=True, capture_output=True, text=True).stdout
            todo += [w for w in text.split("\n")[1:]
                     for w in w.strip().split() if not w.startswith("#")]
    return out


def load_filter(names):
    lib = ctypes.CDLL(ctypes.util.find_library("seccomp"), use_errno=True)
    lib.seccomp_init.restype = ctypes.c_void_p
    lib.seccomp_init.argtypes = [ctypes.c_uint32]
    lib.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32,
                                     ctypes.c_int, ctypes.c_uint]
    lib.seccomp_load.argtypes = [ctypes.c_void_p]
    ctx = lib.seccomp_init(ERRNO | EPERM)
    for name in sorted(names):
        number = lib.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            lib.seccomp_rule_add(ctx, ALLOW, number, 0)
    if lib.seccomp_load(ctx) != 0:
        sys.exit("the filter could not be loaded")


def become(names):
    libc = ctypes.CDLL(None)
    if os.getuid() == 0:
        for capability in range(64):
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    load_filter(names)


def start(program, folder, listener, names):
    child = os.fork()
    if child:
        return child
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    become(names)
    env = {"PATH": "/usr/bin:/bin", "HOME": folder, "LISTEN_FDS": "1",
           "LISTEN_PID": str(os.getpid()),
           # A sanitizer would want ptrace().
           "ASAN_OPTIONS": "detect_leaks=0"}
    os.chdir(folder)
    os.execve(program, [program, "serve", "--audit", folder + "/log"], env)


def ask(path, code):
    c = http.client.HTTPConnection("localhost")
    c.sock = socket.socket(socket.AF_UNIX)
    c.sock.settimeout(20)
    c.sock.connect(path)
    c.request("POST", "/v1/run", json.dumps({"code": code}),
              {"Content-Type": "application/json"})
    return json.load(c.getresponse())


def main(argv):
    unit, program = argv[1:]
    names = calls(" ".join(settings(unit, "SystemCallFilter")).split())
    if len(names) < 200:
        sys.exit("the filter has %d calls: too few" % len(names))
    if "reboot" in names or "bpf" in names or "init_module" in names:
        sys.exit("the filter has calls that it should not have")
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o777)
    # Where we were started from may be closed to others.
    shutil.copy(program, folder + "/sandgate")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(folder + "/s")
    os.chmod(folder + "/s", 0o666)
    listener.listen(16)
    child = start(folder + "/sandgate", folder, listener, names)
    try:
        bad = []
        for code in ("print(1)", "import numpy\nprint(numpy.ones(1).sum())",
                     "open('a', 'w').write('b')\nprint(1)"):
            d = ask(folder + "/s", code)
            if d.get("status") != "ok" or \
                    d["stdout"].strip() not in ("1", "1.0"):
                bad.append(json.dumps(d)[:600])
            weak = [x["name"] for x in d.get("layers", ())
                    if x["state"] != "active"]
            print("without:", ", ".join(weak) or "nothing")
        print("\n".join(bad))
    finally:
        os.kill(child, signal.SIGTERM)
        _, status = os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if bad or status else 0


sys.exit(main(sys.argv))
