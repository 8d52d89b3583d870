#!/usr/bin/env python3
"""What no ordinary client does, over plain sockets.

    raw.py TEST PORT [ARG...]

Ends with 0 when the server did what it should.
"""

import json
import socket
import sys
import time
import urllib.request


def connect(port):
    s = socket.create_connection(("127.0.0.1", int(port)), timeout=20)
    return s


def reply(s):
    """Status of what comes back until the other side ends; 0 for nothing."""
    data = b""
    try:
        while True:
            more = s.recv(65536)
            if not more:
                break
            data += more
    except ConnectionResetError:
        pass
    if not data:
        return 0, b""
    return int(data.split()[1]), data


def ask(port, head, body=b""):
    with connect(port) as s:
        s.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        return reply(s)


def must(what, got, *want):
    if got not in want:
        sys.exit("%s: %r, not %s" % (what, got,
                                     " or ".join(map(repr, want))))


def metric(port, name):
    text = urllib.request.urlopen(
        "http://127.0.0.1:%s/metrics" % port).read().decode()
    return float(next(line.split()[-1] for line in text.split("\n")
                      if line.startswith(name + " ")))


def wait_for(what, test, seconds=10):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            sys.exit("not in time: " + what)
        time.sleep(0.02)


def malformed(port):
    """What is refused by us says why, and ends the connection: a second
    request behind it must not be answered."""
    post = ("POST /v1/check HTTP/1.1\nHost: localhost\n"
            "Content-Type: application/json\n")
    second = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for what, head, body, status, code in (
            ("two hosts", "GET /version HTTP/1.1\nHost: localhost\n"
             "Host: localhost", b"", 400, "bad-host"),
            ("no host", "GET /version HTTP/1.1", b"", 400, "bad-host"),
            ("a blank in a name", "GET /version HTTP/1.1\nHost: localhost\n"
             "Content-Length : 5", b"", 400, "bad-header"),
            ("a control character", "GET /version HTTP/1.1\n"
             "Host: localhost\nA: b\x01c", b"", 400, "bad-header"),
            ("two lengths", post + "Content-Length: 2\nContent-Length: 3",
             b"{}x", 400, "bad-length"),
            ("the same length twice", post + "Content-Length: 2\n"
             "Content-Length: 2", b"{}", 400, "bad-length"),
            ("a length and pieces", post + "Content-Length: 2\n"
             "Transfer-Encoding: chunked", b"0\r\n\r\n", 400, "bad-length"),
            ("two codings", post + "Transfer-Encoding: chunked\n"
             "Transfer-Encoding: chunked", b"0\r\n\r\n", 501, "bad-coding"),
            ("another coding", post + "Transfer-Encoding: gzip, chunked",
             b"0\r\n\r\n", 501, "bad-coding")):
        got, data = ask(port, head, body + second)
        must(what, got, status)
        must(what + ": code",
             json.loads(data.split(b"\r\n\r\n")[1])["code"], code)
        must(what + ": replies", data.count(b"HTTP/1.1 "), 1)
    must("1.0 needs none", ask(port, "GET /version HTTP/1.0")[0], 200)
    # These the library answers by itself, and ends the connection as well.
    for what, head, status in (
            ("no request", "what is this", 400),
            ("a field without a colon",
             "GET /version HTTP/1.1\nHost: localhost\nabc", 400),
            ("a version to come", "GET /version HTTP/3.0", 505),
            ("a head without end", "GET / HTTP/1.1\nHost: localhost\n"
             + "A: " + "b" * 200000, 431)):
        must(what, ask(port, head)[0], status)
    # Of these it hears us first.
    for what, head, status, code in (
            ("a length below nothing", post + "Content-Length: -1", 400,
             "bad-length"),
            ("a length that is none", post + "Content-Length: 2x", 400,
             "bad-length"),
            ("a length of anything", "GET /version HTTP/1.1\n"
             "Host: localhost\nContent-Length:", 400, "bad-length"),
            ("a length beyond all", post + "Content-Length: " + "9" * 30, 413,
             "too-large")):
        got, data = ask(port, head, b"{}" + second)
        must(what, got, status)
        must(what + ": replies", data.count(b"HTTP/1.1 "), 1)
        must(what + ": code",
             json.loads(data.split(b"\r\n\r\n")[1])["code"], code)
    # Whose head is not all there has nothing to do with it.
    with connect(port) as other:
        other.sendall(b"GET /version HTTP/1.1\r\nHost: local")
        time.sleep(0.1)
        must("a length that is none, and another client",
             ask(port, post + "Content-Length: x")[0], 400)
        must("a head that is none, and another client",
             ask(port, "GET /version HTTP/3.0")[0], 505)
        other.sendall(b"host\r\nConnection: close\r\n\r\n")
        must("the other client", reply(other)[0], 200)
    must("bad chunk", ask(port, post + "Transfer-Encoding: chunked",
                          b"zz\r\n{}\r\n0\r\n\r\n")[0], 400)
    must("and then", ask(port, "GET /healthz HTTP/1.0")[0], 200)


def slow(port):
    """The server gives a client one second."""
    for what, sent in (
            ("nothing", b""),
            ("half a line", b"GET /hea"),
            ("half a head", b"GET /version HTTP/1.1\r\nHost: localhost\r\n"),
            ("half a body", b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
             b"Content-Type: application/json\r\n"
             b"Content-Length: 20\r\n\r\n{\"code\"")):
        with connect(port) as s:
            began = time.monotonic()
            s.sendall(sent)
            status, data = reply(s)
            took = time.monotonic() - began
            must(what, status, 408 if b"\r\n" in sent else 0)
            if status:
                must(what + ": code", json.loads(
                    data.split(b"\r\n\r\n")[1])["code"], "too-slow")
            if not 0.5 < took < 8:
                sys.exit("%s: ended after %.1f s" % (what, took))


def trickle(port):
    """A byte now and then does not keep a connection."""
    with connect(port) as s:
        began = time.monotonic()
        s.sendall(b"GET /version HTTP/1.1\r\nHost: localhost\r\n")
        try:
            while time.monotonic() - began < 15:
                s.sendall(b"A")
                time.sleep(0.2)
        except OSError:
            pass
        if time.monotonic() - began > 10:
            sys.exit("it was kept for 10 s")


def many(port):
    """Eight bodies of the largest size are held, and no more."""
    size = 1 << 20
    head = ("POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % size).encode()
    held = []
    for _ in range(8):
        s = connect(port)
        s.sendall(head + b" " * (size - 1))
        held.append(s)
    wait_for("they are held", lambda: metric(
        port, "sandgate_http_held_bytes") == 8 * (size - 1), 30)
    with connect(port) as s:
        try:
            s.sendall(head + b" " * (size - 1))
        except OSError:
            pass  # it was cut short
        status, data = reply(s)
    must("the ninth", status, 429)
    if b"Retry-After: 1" not in data:
        sys.exit("when to come again is not said")
    for s in held:
        s.sendall(b" ")
        s.settimeout(10)
        must("it was held to its end", reply_now(s), 400)
        s.close()
    must("and then", ask(port, "POST /v1/check HTTP/1.1\nHost: localhost\n"
                         "Content-Type: application/json\n"
                         "Connection: close\nContent-Length: 12",
                         b'{"code":"1"}')[0], 200)


def reply_now(s):
    """Status of one reply, the connection being kept."""
    return int(s.recv(65536).split()[1])


def cap(port):
    """The server takes two connections; a third waits for its turn."""
    first, second = connect(port), connect(port)
    for s in (first, second):
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        must("one of two", reply_now(s), 200)
    third = connect(port)
    third.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    third.settimeout(0.5)
    try:
        sys.exit("the third was answered: %r" % third.recv(100))
    except socket.timeout:
        pass
    first.close()
    third.settimeout(10)
    must("the third, then", reply_now(third), 200)


def stalled(port):
    """A client that reads no reply is not waited for longer than others."""
    body = json.dumps({"code": "n = open('a', 'wb').write(b'x' * 20000000)"})
    with connect(port) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(("POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\nContent-Length: %d"
                   "\r\n\r\n%s" % (len(body), body)).encode())
        wait_for("the run ends", lambda: metric(
            port, 'sandgate_tasks_total{status="ok"}') == 1, 30)
        wait_for("it is given up",
                 lambda: metric(port, "sandgate_http_connections") == 1, 20)
    must("and then", ask(port, "GET /healthz HTTP/1.0")[0], 200)


def keep(port):
    """Many requests by one connection, some of them at once."""
    one = (b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
           b"Content-Type: application/json\r\nContent-Length: 12\r\n\r\n"
           b"{\"code\":\"1\"}")
    with connect(port) as s:
        s.sendall(one * 20 + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                  b"Connection: close\r\n\r\n")
        _, data = reply(s)
    must("replies", data.count(b"HTTP/1.1 200"), 21)


def gone(port):
    """A client that goes away takes its run with it."""
    body = json.dumps({"code": "import time; time.sleep(20)"}).encode()
    with connect(port) as s:
        s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Type: application/json\r\nContent-Length: "
                  + str(len(body)).encode() + b"\r\n\r\n" + body)
        wait_for("it runs",
                 lambda: metric(port, "sandgate_tasks_running") == 1)
    wait_for("it ends", lambda: metric(port, "sandgate_tasks_running") == 0)
    must("counted", metric(port, "sandgate_http_cancelled_total"), 1.0)


def mcp_gone(port, modern):
    """With 2026-07-28 as well; before, a lost connection means nothing."""
    before = metric(port, 'sandgate_tasks_total{status="cancelled"}')
    params = {"name": "run_python",
              "arguments": {"code": "import time; time.sleep(2)"}}
    head = ""
    if modern == "modern":
        version = "2026-07-28"
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {}}
        head = ("MCP-Protocol-Version: %s\r\nMcp-Method: tools/call\r\n"
                "Mcp-Name: run_python\r\n" % version)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": params})
    with connect(port) as s:
        s.sendall(("POST /mcp HTTP/1.1\r\nHost: localhost\r\n%s"
                   "Content-Type: application/json\r\n"
                   "Content-Length: %d\r\n\r\n%s"
                   % (head, len(body), body)).encode())
        wait_for("it runs",
                 lambda: metric(port, "sandgate_tasks_running") == 1)
    wait_for("it ends", lambda: metric(port, "sandgate_tasks_running") == 0)
    must("cancelled", metric(port, 'sandgate_tasks_total{status="cancelled"}')
         - before, 1.0 if modern == "modern" else 0.0)


def main(argv):
    test = globals()[argv[1]]
    test(*argv[2:])


main(sys.argv)
