#!/usr/bin/env python3
"""Holds the server against its own description.

    described.py OPENAPI METRICS URL BOX

Each path that the server counts is described and the other way round; each
method is allowed; each example of a request is answered; each reply is what
its schema says.
"""

import http.client
import json
import re
import sys
import urllib.parse

import jsonschema

faults = []


def must(what, good):
    if not good:
        faults.append(what)


class Server:
    def __init__(self, url, document):
        self.netloc = urllib.parse.urlsplit(url).netloc
        self.document = document

    def ask(self, method, path, body=None, headers=None):
        c = http.client.HTTPConnection(self.netloc, timeout=60)
        head = dict(headers or {})
        if body is not None:
            head.setdefault("Content-Type", "application/json")
        c.request(method, path, body, head)
        r = c.getresponse()
        return r, r.read()

    def holds(self, method, path, reply, data):
        """The reply is described, and its body is what the schema says."""
        where = "%s %s: %d" % (method, path, reply.status)
        operation = self.document["paths"][path][method.lower()]
        described = operation["responses"].get(str(reply.status))
        must(where + " is not described", described)
        if not described:
            return
        kind = reply.headers.get("Content-Type", "").split(";")[0]
        content = described.get("content", {})
        if not data and not content:
            return
        must("%s: type '%s' is not described" % (where, kind),
             kind in content)
        if kind not in content or not kind.endswith("json"):
            return
        schema = dict(content[kind]["schema"],
                      components=self.document["components"])
        for error in jsonschema.Draft202012Validator(schema).iter_errors(
                json.loads(data)):
            faults.append("%s: %s: %s" % (where, error.json_path,
                                          error.message[:200]))
        for name, header in described.get("headers", {}).items():
            must("%s: no %s" % (where, name), name in reply.headers)


def check_refs(document):
    n = 0
    for ref in re.findall(r'"\$ref":\s*"([^"]*)"', json.dumps(document)):
        node = document
        for part in ref.split("/")[1:]:
            node = node.get(part, {})
        must("%s leads nowhere" % ref, ref[0] == "#" and node)
        n += 1
    must("there are references", n > 20)


def check_paths(server, metrics):
    counted = set(re.findall(
        r'duration_seconds_count\{path="(/[^"]*)"\}', metrics))
    described = set(server.document["paths"])
    must("paths: %r" % (counted ^ described), counted == described)
    for path, item in server.document["paths"].items():
        reply, _ = server.ask("OPTIONS", path)
        allowed = set(reply.headers["Allow"].split(", "))
        methods = {m.upper() for m in item}
        if "GET" in methods:
            methods.add("HEAD")
        must("%s: methods %r, allowed %r" % (path, methods, allowed),
             methods | {"OPTIONS"} == allowed)
        reply, _ = server.ask("PUT", path, "{}")
        must("PUT %s: %d" % (path, reply.status), reply.status == 405)
        if "GET" in methods:
            server.holds("GET", path, *server.ask("GET", path))
        else:
            for body, headers in (
                    ("{", {}), ("{}", {"Content-Type": "text/plain"}),
                    ("{}", {"Origin": "http://evil.example"})):
                server.holds("POST", path,
                             *server.ask("POST", path, body, headers))


def check_examples(server, box):
    schemas = server.document["components"]["schemas"]
    for path in ("/v1/check", "/v1/run") if box == "yes" else ("/v1/check",):
        post = server.document["paths"][path]["post"]
        ref = post["requestBody"]["content"]["application/json"]["schema"]
        schema = schemas[ref["$ref"].split("/")[-1]]
        must("%s: an example" % path, schema.get("examples"))
        for example in schema["examples"]:
            jsonschema.validate(example, dict(
                schema, components=server.document["components"]))
            reply, data = server.ask("POST", path, json.dumps(example))
            must("%s: %d" % (path, reply.status), reply.status == 200)
            server.holds("POST", path, reply, data)
        # The server knows every key that is described.
        for key, about in schema["properties"].items():
            reply, data = server.ask("POST", path, json.dumps(
                {"code": "1", key: None}))
            must("%s: key '%s'" % (path, key),
                 json.loads(data).get("code") == "wrong-type")
            server.holds("POST", path, reply, data)


def main(argv):
    with open(argv[1], encoding="utf-8") as f:
        document = json.load(f)
    with open(argv[2], encoding="utf-8") as f:
        metrics = f.read()
    server = Server(argv[3], document)
    check_refs(document)
    check_paths(server, metrics)
    check_examples(server, argv[4])
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main(sys.argv))
