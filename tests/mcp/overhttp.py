#!/usr/bin/env python3
"""The protocol over HTTP: sessions, streams, and clients that go away."""

import http.client
import json
import os
import socket
import subprocess
import tempfile
import time

from server import META, Tap, wait_for

tap = Tap()
SLEEP = "import time\nprint('begun', flush=True)\ntime.sleep(%g)"


class Http:
    """`sandgate serve` with a log of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.log = os.path.join(self.folder, "audit.jsonl")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.process = subprocess.Popen(
            [os.environ["SANDGATE"], "serve", "--audit", self.log,
             "--listen", "127.0.0.1:%d" % self.port],
            stderr=subprocess.DEVNULL)
        assert wait_for(self.answers), "the server does not start"

    def answers(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def post(self, message, headers=None, stream=False):
        """Sends one; the connection and its response, not read yet."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        c.request("POST", "/mcp", json.dumps(message), {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream" if stream
                      else "application/json", **(headers or {})})
        return c

    def ask(self, message, headers=None):
        c = self.post(message, headers)
        r = c.getresponse()
        body = r.read()
        c.close()
        return r, json.loads(body) if body else None

    def records(self, event):
        with open(self.log, encoding="utf-8") as f:
            records = [json.loads(line) for line in f
                       if line.endswith("\n")]
        return [r for r in records if r["event"] == event]

    def outcomes(self):
        """The status of each run that has ended, in order."""
        return [r["status"] for r in self.records("outcome")]

    def begun(self):
        return len(self.records("verdict"))

    def end(self):
        self.process.terminate()
        status = self.process.wait(60)
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        os.rmdir(self.folder)
        return status


def call(code, id=1, modern=False, **meta):
    params = {"name": "run_python", "arguments": {"code": code}}
    if modern or meta:
        params["_meta"] = dict(META if modern else {}, **meta)
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": params}


MODERN = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
          "Mcp-Name": "run_python"}
LEGACY = {"MCP-Protocol-Version": "2025-11-25"}


def answers(s):
    r, a = s.ask(call("print(1)", modern=True), MODERN)
    tap.equal((r.status, a["result"]["structuredContent"]["stdout"]),
              (200, "1\n"), "a request of the newer protocol")
    encoded = dict(MODERN, **{"Mcp-Name": "=?base64?cnVuX3B5dGhvbg==?="})
    tap.equal(s.ask(call("1", modern=True), encoded)[0].status, 200,
              "a name may be encoded in its header")
    for headers, what in [
            (dict(MODERN, **{"Mcp-Name": "check_python"}), "another name"),
            (dict(MODERN, **{"Mcp-Name": "=?base64?%%%?="}), "a broken name"),
            (dict(MODERN, **{"Mcp-Method": "tools/list"}),
             "another method"),
            ({"MCP-Protocol-Version": "2026-07-28"}, "no method"),
            ({k: v for k, v in MODERN.items()
              if k != "MCP-Protocol-Version"}, "no version"),
            (dict(MODERN, **LEGACY), "another version")]:
        r, a = s.ask(call("1", modern=True), headers)
        tap.equal((r.status, a["error"]["code"]), (400, -32020),
                  "a header with %s is refused" % what)
    r, a = s.ask({"jsonrpc": "2.0", "id": 1, "method": "nothing",
                  "params": {"_meta": META}},
                 dict(MODERN, **{"Mcp-Method": "nothing"}))
    tap.equal((r.status, a["error"]["code"]), (404, -32601),
              "an unknown method is not found")
    r, a = s.ask({"jsonrpc": "2.0", "method": "notifications/initialized"},
                 LEGACY)
    tap.equal((r.status, a), (202, None), "a notification is taken")
    r, a = s.ask(call("print(2)"), LEGACY)
    tap.equal((r.status, a["result"]["structuredContent"]["stdout"]),
              (200, "2\n"), "a request of the older protocol")
    r, a = s.ask([call("print(1)", id=1), call("print(2)", id=2)], {
        "MCP-Protocol-Version": "2025-03-26"})
    tap.equal(sorted(m["id"] for m in a), [1, 2], "a batch of it")


def streams(s):
    c = s.post(call(SLEEP % 2.3, modern=True, progressToken="t"), MODERN,
               stream=True)
    r = c.getresponse()
    tap.ok(r.headers["Content-Type"].startswith("text/event-stream"),
           "progress makes the reply a stream", r.headers)
    events = [json.loads(line[5:]) for line in r.read().splitlines()
              if line.startswith(b"data:")]
    tap.ok([e.get("method") for e in events[:-1]] and
           all(e["method"] == "notifications/progress" for e in events[:-1])
           and events[-1]["id"] == 1, "that ends with the answer", events)
    c.close()


def leaving(s):
    """Who goes away: in the newer protocol that ends the run."""
    begun, ended = s.begun(), len(s.outcomes())
    c = s.post(call(SLEEP % 30, modern=True), MODERN)
    wait_for(lambda: s.begun() > begun)
    time.sleep(0.5)
    c.close()
    tap.ok(wait_for(lambda: len(s.outcomes()) > ended, 15) and
           s.outcomes()[ended:] == ["cancelled"],
           "a client of the newer protocol that goes away ends its run",
           s.outcomes()[ended:])
    begun, ended = s.begun(), len(s.outcomes())
    c = s.post(call(SLEEP % 1.5), LEGACY)
    wait_for(lambda: s.begun() > begun)
    time.sleep(0.3)
    c.close()
    tap.ok(wait_for(lambda: len(s.outcomes()) > ended, 30) and
           s.outcomes()[ended:] == ["ok"],
           "one of the older protocol does not", s.outcomes()[ended:])


def sessions(s):
    names = []
    for _ in range(2):
        r, _answer = s.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                            "params": {"protocolVersion": "2025-11-25",
                                       "capabilities": {}, "clientInfo": {
                                           "name": "t", "version": "1"}}})
        names.append(r.headers["Mcp-Session-Id"])
    tap.ok(names[0] and names[0] != names[1],
           "initialize gives a session a name", names)
    mine = dict(LEGACY, **{"Mcp-Session-Id": names[0]})
    other = dict(LEGACY, **{"Mcp-Session-Id": names[1]})
    begun, ended = s.begun(), len(s.outcomes())
    c = s.post(call(SLEEP % 30, id=7), mine)
    wait_for(lambda: s.begun() > begun)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled",
              "params": {"requestId": 7}}
    for headers, whose in [(other, "another session"), (LEGACY, "nobody")]:
        tap.equal(s.ask(cancel, headers)[0].status, 202,
                  "a cancellation of %s is taken" % whose)
    time.sleep(0.5)
    tap.equal(len(s.outcomes()), ended, "and changes nothing")
    s.ask(cancel, mine)
    tap.ok(wait_for(lambda: len(s.outcomes()) > ended, 15) and
           s.outcomes()[ended:] == ["cancelled"],
           "that of the session itself ends the run", s.outcomes()[ended:])
    tap.equal(c.getresponse().status, 202, "which has no answer then")
    c.close()


def plainly(s):
    """The session remembers a client that wants texts and images alone."""
    for client, structured in (("codex-mcp-client", False), ("t", True)):
        r, _answer = s.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                            "params": {"protocolVersion": "2025-11-25",
                                       "capabilities": {}, "clientInfo": {
                                           "name": client, "version": "1"}}})
        mine = dict(LEGACY, **{
            "Mcp-Session-Id": r.headers["Mcp-Session-Id"]})
        _r, a = s.ask(call("6 * 7"), mine)
        tap.equal(("structuredContent" in a["result"],
                   "42" in a["result"]["content"][0]["text"]),
                  (structured, True), "structured content for " + client)
        _r, a = s.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                      mine)
        tap.equal(["outputSchema" in t for t in a["result"]["tools"]],
                  [structured] * 3, "as promised to " + client)


server = Http()
for part in (answers, streams, leaving, sessions, plainly):
    part(server)
tap.equal(server.end(), 0, "the server ends")
tap.end()
