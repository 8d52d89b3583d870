#!/usr/bin/env python3
"""Writes the output schema of the MCP tools from that of results.

    mcp_schema.py docs/result.schema.json OUT

Clients of many kinds read it, some with validators that know an older draft
or no conditions at all: so the conditions, the names of the schema itself and
what says nothing about the shape go.  A tool's result has no base64: its
images and files are blocks of their own.
"""

import json
import sys


def split(node):
    """A choice of types as a choice of schemas, which all validators know."""
    rest = {k: v for k, v in node.items() if k not in ("type", "description")}
    out = {"anyOf": [{"type": t} if t == "null" else {"type": t, **rest}
                     for t in node["type"]]}
    if "description" in node:
        out["description"] = node["description"]
    return out


def strip(node):
    """`node` without what only this project's own tests need."""
    if isinstance(node, list):
        return [strip(v) for v in node]
    if not isinstance(node, dict):
        return node
    node = {k: strip(v) for k, v in node.items()
            if k not in ("$schema", "$id", "allOf", "title")
            or not isinstance(v, (str, list))}
    return split(node) if isinstance(node.get("type"), list) else node


def members(schema):
    """Images and files without their bytes."""
    for name in ("images", "files"):
        for key in ("data", "path"):
            schema["properties"][name]["items"]["properties"].pop(key, None)


def used(schema):
    """Definitions that something refers to."""
    defs = schema["$defs"]
    keep, todo = {}, [{k: v for k, v in schema.items() if k != "$defs"}]
    while todo:
        text = json.dumps(todo.pop())
        for name in defs:
            if name not in keep and '"#/$defs/%s"' % name in text:
                keep[name] = defs[name]
                todo.append(defs[name])
    schema["$defs"] = {name: defs[name] for name in defs if name in keep}


def main():
    source, out = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        schema = strip(json.load(f))
    schema["description"] = "what became of the script"
    members(schema)
    used(schema)
    with open(out, "w", encoding="utf-8") as f:
        json.dump(schema, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
