#!/usr/bin/env python3
"""Stands in for a model: an API of the OpenAI kind on 127.0.0.1.

    model.py PORT-FILE

First wants a script run that is rejected, then one that passes, then answers
with what the tool said.
"""

import http.server
import json
import sys

SCRIPTS = ["import os\nos.system('factor 91')\n",
           "n = 91\nprint([d for d in range(2, n) if n % d == 0])\n"]


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["Content-Length"])
        asked = json.loads(self.rfile.read(size))
        names = [t["function"]["name"] for t in asked["tools"]]
        told = [m["content"] for m in asked["messages"]
                if m["role"] == "tool"]
        if names[0] != "run_python" or self.path != "/chat/completions":
            message = {"role": "assistant", "content": "no such tool"}
        elif len(told) < len(SCRIPTS):
            message = {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call_%d" % len(told), "type": "function",
                 "function": {"name": "run_python", "arguments": json.dumps(
                     {"code": SCRIPTS[len(told)]})}}]}
        else:
            message = {"role": "assistant",
                       "content": "\n--\n".join(told)}
        body = json.dumps({"choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1], "w", encoding="ascii") as f:
    f.write("%d\n" % server.server_port)
server.serve_forever()
