#!/usr/bin/env python3
"""Starts the server as a service manager does.

    activate.py TEST PROGRAM

Ends with 0 when the server did what it should.
"""

import http.client
import os
import signal
import socket
import sys
import tempfile
import threading
import time


class Manager:
    """A listening socket that stays, and one for notifications."""

    def __init__(self, program, family, address):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.notes = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notes.bind(self.folder.name + "/notify")
        self.notes.settimeout(20)
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.bind(address or self.folder.name + "/s")
        self.listener.listen(64)
        self.child = None

    def start(self, *args, pid=None, extra=None):
        """As systemd: the socket is descriptor 3."""
        ready, go = os.pipe()
        child = os.fork()
        if child == 0:
            os.read(ready, 1)
            os.dup2(self.listener.fileno(), 3)
            os.set_inheritable(3, True)
            env = dict(os.environ, LISTEN_FDS="1",
                       LISTEN_PID=str(pid or os.getpid()),
                       NOTIFY_SOCKET=self.folder.name + "/notify",
                       **(extra or {}))
            os.execve(self.program, [self.program, "serve", *args], env)
        os.write(go, b"x")
        os.close(ready)
        os.close(go)
        self.child = child

    def await_note(self, text):
        """Reads notes until one has `text`."""
        while text not in self.notes.recv(4096).decode():
            pass

    def stop(self):
        os.kill(self.child, signal.SIGTERM)
        self.await_note("STOPPING=1")
        self.ended()

    def ended(self, want=0):
        _, status = os.waitpid(self.child, 0)
        if os.waitstatus_to_exitcode(status) != want:
            sys.exit("exit status %d" % os.waitstatus_to_exitcode(status))

    def ask(self, method="GET", path="/healthz", body=None):
        c = http.client.HTTPConnection("localhost", timeout=30)
        c.sock = socket.socket(self.listener.family, socket.SOCK_STREAM)
        c.sock.settimeout(30)
        c.sock.connect(self.listener.getsockname())
        c.request(method, path, body,
                  {"Content-Type": "application/json"} if body else {})
        return c.getresponse().status


def serve(program, family, address):
    m = Manager(program, family, address)
    m.start(extra={"WATCHDOG_USEC": "200000"})
    m.await_note("READY=1")
    m.await_note("WATCHDOG=1")
    m.await_note("WATCHDOG=1")
    if m.ask() != 200:
        sys.exit("not alive")
    os.kill(m.child, signal.SIGHUP)
    m.await_note("RELOADING=1")
    m.await_note("READY=1")
    m.stop()


def unix(program):
    serve(program, socket.AF_UNIX, None)


def tcp(program):
    serve(program, socket.AF_INET, ("127.0.0.1", 0))


def restart(program):
    """Nothing that is asked meanwhile is lost."""
    m = Manager(program, socket.AF_UNIX, None)
    m.start()
    m.await_note("READY=1")
    answers, end = [], threading.Event()

    def clients():
        while not end.is_set():
            answers.append(m.ask("POST", "/v1/check", '{"code":"1"}'))

    threads = [threading.Thread(target=clients) for _ in range(4)]
    for t in threads:
        t.start()
    for _ in range(3):
        time.sleep(0.2)
        m.stop()
        m.start()
        m.await_note("READY=1")
    end.set()
    for t in threads:
        t.join()
    m.stop()
    # A server that was told to end in the very moment says so: 503.
    bad = [a for a in answers if a not in (200, 503)]
    if bad or answers.count(200) < 20:
        sys.exit("%d answers, of them not good: %r" % (len(answers), bad))


def others(program):
    """LISTEN_PID names somebody else: the socket is not for us."""
    m = Manager(program, socket.AF_UNIX, None)
    m.start("--listen", "127.0.0.1:0", pid=1)
    m.await_note("READY=1")
    m.listener.settimeout(0)
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(1)
        s.connect(m.listener.getsockname())
        s.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        try:
            s.recv(1)
            sys.exit("it was answered")
        except socket.timeout:
            pass
    m.stop()


def wide(program):
    """No token, no server."""
    m = Manager(program, socket.AF_INET, ("0.0.0.0", 0))
    m.start()
    m.ended(2)
    m.listener.close()
    m.listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    m.listener.bind(("127.0.0.1", 0))
    m.start()
    m.ended(2)


globals()[sys.argv[1]](sys.argv[2])
