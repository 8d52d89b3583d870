"""A server to talk to line by line, and TAP for what it said."""

import json
import os
import queue
import subprocess
import sys
import threading
import time

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
PATIENCE = 60


class Server:
    """`sandgate mcp` and its two pipes."""

    def __init__(self, *options, **popen):
        self.process = subprocess.Popen(
            [os.environ["SANDGATE"], "mcp", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, **popen)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_raw(json.dumps(message).encode() + b"\n")

    def receive(self, patience=PATIENCE):
        """The next message; None at the end of output."""
        line = self.lines.get(timeout=patience)
        return None if line is None else json.loads(line)

    def quiet(self, seconds):
        """Whether nothing is said for so long."""
        try:
            self.lines.put(self.lines.get(timeout=seconds))
            return False
        except queue.Empty:
            return True

    def ask(self, method, params=None, id=1, modern=False):
        """Sends a request, returns its answer."""
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None or modern:
            message["params"] = dict(params or {})
        if modern:
            message["params"]["_meta"] = META
        self.send(message)
        return self.receive()

    def initialize(self, version="2025-11-25", client="test"):
        answer = self.ask("initialize", {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": client, "version": "1"}}, id="init")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool, modern=False, **arguments):
        answer = self.ask("tools/call",
                          {"name": tool, "arguments": arguments},
                          modern=modern)
        return answer.get("result", answer)

    def end(self):
        """Ends its input; the exit status and what it still said."""
        self.process.stdin.close()
        rest = []
        while (message := self.receive()) is not None:
            rest.append(message)
        return self.process.wait(PATIENCE), rest


def text(result):
    """The text blocks of a tool's result."""
    return "\n".join(b["text"] for b in result["content"]
                     if b["type"] == "text")


class Tap:
    def __init__(self):
        self.failed = 0

    def ok(self, good, what, *details):
        print("%s %s" % ("ok" if good else "not ok", what))
        if not good:
            self.failed += 1
            for detail in details:
                print("  got: %s" % str(detail)[:2000])
        sys.stdout.flush()

    def equal(self, got, want, what):
        self.ok(got == want, what, got, "wanted: %r" % (want,))

    def end(self):
        sys.exit(1 if self.failed else 0)


def wait_for(condition, patience=PATIENCE):
    """Whether it comes true in time."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
