#!/usr/bin/env python3
"""Writes the description of the HTTP API as one document.

    openapi.py VERSION docs/openapi.json >OUT

Where the source refers to another file ("result.schema.json"), that file
becomes a schema of the document, named by its title, and its definitions
become schemas beside it: readers of OpenAPI differ in what they make of a
schema with definitions of its own.
"""

import json
import os
import re
import sys


def rewritten(node, change):
    """A copy with every reference put through `change`."""
    if isinstance(node, dict):
        return {key: change(value)
                if key == "$ref" and isinstance(value, str)
                else rewritten(value, change) for key, value in node.items()}
    if isinstance(node, list):
        return [rewritten(item, change) for item in node]
    return node


def camel(text):
    return "".join(w[:1].upper() + w[1:] for w in re.split(r"\W+|_", text))


def taken_in(path, schemas):
    """Adds the schema in `path` to `schemas`; returns its name."""
    with open(path, encoding="utf-8") as f:
        schema = json.load(f)
    name = camel(schema["title"])
    names = {key: camel(key) for key in schema.get("$defs", {})}

    def change(ref):
        return "#/components/schemas/" + names[ref.split("/")[-1]]

    for key, own in names.items():
        if own in schemas or own == name:
            sys.exit("openapi.py: there are two schemas '%s'" % own)
        schemas[own] = rewritten(schema["$defs"][key], change)
    schemas[name] = rewritten({k: v for k, v in schema.items()
                               if k not in ("$schema", "$id", "$defs")},
                              change)
    return name


def main(argv):
    version, path = argv[1:]
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    document["info"]["version"] = version
    taken, known = {}, {}

    def change(ref):
        if ref.startswith("#"):
            return ref
        if ref not in known:
            known[ref] = taken_in(os.path.join(os.path.dirname(path), ref),
                                  taken)
        return "#/components/schemas/" + known[ref]

    document = rewritten(document, change)
    schemas = document["components"]["schemas"]
    twice = set(schemas) & set(taken)
    if twice:
        sys.exit("openapi.py: there are two schemas '%s'" % twice.pop())
    schemas.update(taken)
    json.dump(document, sys.stdout, ensure_ascii=False,
              separators=(",", ":"))


main(sys.argv)
