#!/usr/bin/env python3
"""Asks a model, and runs the Python that it wants run in sandgate.

    sandgate serve --unix sandgate.sock &
    OPENAI_API_KEY=... python3 ask.py "What is the 50th prime?"

Speaks to any API of the OpenAI kind (OPENAI_BASE_URL, OPENAI_MODEL) with
nothing but the standard library.  The tools are those that `sandgate
tool-schema --format openai` prints; their names and arguments are those of
the server's /mcp, whose answers are text that a model can act on.
"""

import http.client
import json
import os
import socket
import subprocess
import sys
import urllib.request

SOCKET = os.environ.get("SANDGATE_SOCKET", "sandgate.sock")
API = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MODEL = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
ROUNDS = 8


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(SOCKET)


def call_tool(name, arguments):
    """What the model is told: text, as the server puts it."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments}})
    connection = Unix("localhost")
    connection.request("POST", "/mcp", body,
                       {"Content-Type": "application/json"})
    reply = json.load(connection.getresponse())
    if "error" in reply:
        return reply["error"]["message"]
    # Images are blocks of type "image", for models that can see.
    return "\n".join(block["text"] for block in reply["result"]["content"]
                     if block["type"] == "text")


def complete(messages, tools):
    request = urllib.request.Request(
        API + "/chat/completions",
        json.dumps({"model": MODEL, "messages": messages,
                    "tools": tools}).encode(),
        {"Content-Type": "application/json",
         "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]


def main(question):
    tools = json.loads(subprocess.run(
        ["sandgate", "tool-schema", "--format", "openai"], check=True,
        stdout=subprocess.PIPE).stdout)
    messages = [{"role": "user", "content": question}]
    for _ in range(ROUNDS):
        message = complete(messages, tools)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            return
        for call in message["tool_calls"]:
            function = call["function"]
            text = call_tool(function["name"],
                             json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"],
                             "content": text})
    sys.exit("no answer after %d rounds" % ROUNDS)


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
