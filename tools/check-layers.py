#!/usr/bin/env python3
"""Checks that includes go down only.

    check-layers.py [ROOT]

A file includes its own layer and those that BELOW names, always as
"layer/file.h"; the headers of a third party stay in the layers that
THIRD_PARTY names; no header includes itself by way of others.
"""

import os
import re
import sys

BELOW = {
    "base": [],
    "analyzer": ["base"],
    "policy": ["base", "analyzer"],
    "executor": ["base"],
    "pipeline": ["base", "analyzer", "policy", "executor"],
    "cmd": ["base", "analyzer", "policy", "executor", "pipeline"],
    "include": [],
}
# The public headers are implemented by the pipeline, used by the commands.
PUBLIC_USERS = ["pipeline", "cmd"]

THIRD_PARTY = {
    "tree_sitter/": ["analyzer"],
    "utf8proc.h": ["analyzer"],
    "yaml.h": ["policy"],
    "pcre2.h": ["policy"],
    "seccomp.h": ["executor"],
    "Python.h": ["executor"],
    "jansson.h": ["pipeline", "cmd"],
    "microhttpd.h": ["cmd"],
    "sodium.h": ["base", "pipeline"],
    "sodium/": ["base", "pipeline"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def sources(root):
    """Paths of all C files of the layers, relative to root."""
    for layer in sorted(BELOW):
        for folder, _, names in os.walk(os.path.join(root, layer)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    yield layer, os.path.relpath(path, root)


def includes(root, path):
    """(line, bracket, name) of each include of a file."""
    with open(os.path.join(root, path), encoding="utf-8") as f:
        text = f.read()
    for m in INCLUDE.finditer(text):
        yield text.count("\n", 0, m.start(2)) + 1, m.group(1), m.group(2)


def system_fault(layer, name):
    for prefix, layers in THIRD_PARTY.items():
        is_it = name.startswith(prefix) if prefix.endswith("/") \
            else name == prefix
        if is_it and layer not in layers:
            return "<%s> belongs to %s" % (name, " and ".join(layers))
    return None


def own_fault(root, public, layer, name):
    """What is wrong with #include "name", or None."""
    if name in public and layer in PUBLIC_USERS + ["include"]:
        return None
    if not os.path.isfile(os.path.join(root, name)):
        return 'there is no "%s" (write "layer/file.h")' % name
    other = name.split("/")[0]
    if other != layer and other not in BELOW[layer]:
        return "%s may not include %s" % (layer, other)
    return None


def find_cycle(graph):
    """One cycle of the graph as a list of nodes, or None."""
    state = {}
    for start in sorted(graph):
        stack = [(start, iter(graph[start]))]
        if start in state:
            continue
        state[start] = "open"
        while stack:
            node, rest = stack[-1]
            for nxt in rest:
                if state.get(nxt) == "open":
                    trail = [n for n, _ in stack]
                    return trail[trail.index(nxt):] + [nxt]
                if nxt in graph and nxt not in state:
                    state[nxt] = "open"
                    stack.append((nxt, iter(graph[nxt])))
                    break
            else:
                state[node] = "done"
                stack.pop()
    return None


def main(argv):
    root = argv[1] if len(argv) > 1 else "."
    public = {os.path.relpath(p, "include")
              for layer, p in sources(root) if layer == "include"}
    graph, faults, count = {}, [], 0
    for layer, path in sources(root):
        count += 1
        graph[path] = []
        for line, bracket, name in includes(root, path):
            if bracket == "<" and name not in public:
                fault = system_fault(layer, name)
            else:
                fault = own_fault(root, public, layer, name)
                graph[path].append(os.path.join("include", name)
                                   if name in public else name)
            if fault:
                faults.append("%s:%d: %s" % (path, line, fault))
    cycle = find_cycle(graph)
    if cycle:
        faults.append("include cycle: " + " -> ".join(cycle))
    if count == 0:
        faults.append("no source files below '%s'" % root)
    print("\n".join(faults) if faults else "%d files, layers hold" % count)
    return 1 if faults else 0


sys.exit(main(sys.argv))
