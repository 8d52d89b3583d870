#!/usr/bin/env python3
"""Compares what CPython and sandgate read in the same text.

    astdiff.py [--python PROGRAM]... --astdump PROGRAM [--stdlib] PATH...

Each PATH is a Python file, a folder of them, or a .jsonl table of inputs
(tests/corpus/differential/README.md); --stdlib adds the standard library of
each interpreter, with its tests where they are installed.  Each PROGRAM is a
CPython; without one, all are taken that are found: python3 and python3.9 to
python3.14 in PATH and in /usr/bin, and those of pyenv.
For each input and each version:

  - what CPython compiles must be read by sandgate as the same tree: the
    whole of it, names, constants, contexts and operators, not only shape;
    what is no UTF-8, or says so, is refused whatever CPython makes of it;
  - what CPython refuses must be refused.

Differences are printed and counted.  Exit status 0: no program was read as
another, nothing that compiles was refused, and at least 99 % of what CPython
refuses was refused.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# --- CPython's side, run by each interpreter --------------------------------

CHILD = r'''
import ast, sys, warnings
warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)

NAMES = {"Name": "id", "Attribute": "attr", "FunctionDef": "name",
    "AsyncFunctionDef": "name", "ClassDef": "name", "arg": "arg",
    "keyword": "arg", "alias": "name", "ImportFrom": "module",
    "ExceptHandler": "name", "MatchAs": "name", "MatchStar": "name",
    "MatchMapping": "rest", "TypeVar": "name", "ParamSpec": "name",
    "TypeVarTuple": "name"}
ROLES = {"orelse": "orelse", "finalbody": "finalbody", "handlers": "handler",
    "targets": "target", "ifs": "if", "generators": "generator",
    "elts": "elt", "keys": "key", "values": "value", "args": "arg",
    "keywords": "keyword", "bases": "base", "decorator_list": "decorator",
    "type_params": "type_param", "items": "item", "context_expr": "context",
    "optional_vars": "vars", "cases": "case", "patterns": "pattern",
    "kwd_patterns": "kwd_pattern", "comparators": "comparator",
    "names": "name", "default_value": "default"}

def text(data):
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return '"' + "".join(chr(c) if 0x20 < c < 0x7f and c not in b'"\\'
                         else "\\x%02x" % c for c in data) + '"'

def constant(value):
    if value is None or value is True or value is False:
        return str(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, int):
        return str(value) if value < 2 ** 63 else "big"
    if isinstance(value, float):
        return "%.17gf" % value
    if isinstance(value, complex):
        return "%.17gj" % value.imag
    return ("b" if isinstance(value, bytes) else "s") + text(value)

class Node:
    __slots__ = ("kind", "role", "bits", "children")
    def __init__(self, kind, role, bits, children):
        self.kind, self.role = kind, role
        self.bits, self.children = bits, children

def arguments(a, role):
    kids = []
    pos = a.posonlyargs + a.args
    defaults = [None] * (len(pos) - len(a.defaults)) + a.defaults
    def param(x, flag, default=None):
        n = convert(x, "param")
        n.bits += flag
        if default is not None:
            n.children.append(convert(default, "default"))
        kids.append(n)
    for i, x in enumerate(pos):
        param(x, " +p" if i < len(a.posonlyargs) else "", defaults[i])
    if a.vararg:
        param(a.vararg, " +v")
    for x, d in zip(a.kwonlyargs, a.kw_defaults):
        param(x, " +k", d)
    if a.kwarg:
        param(a.kwarg, " +w")
    return Node("arguments", role, "", kids)

def place(node):
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

def fields(node, kind):
    """Children in the order of the text."""
    get = lambda f: getattr(node, f, None)
    if kind in ("FunctionDef", "AsyncFunctionDef"):
        order = ["decorator_list", "type_params", "args", "returns", "body"]
    elif kind == "ClassDef":
        order = ["decorator_list", "type_params"]
        for f in order:
            for x in get(f) or []:
                yield f, x
        both = [("bases", x) for x in node.bases]
        both += [("keywords", x) for x in node.keywords]
        yield from sorted(both, key=lambda p: place(p[1])
                          if not isinstance(p[1], ast.keyword)
                          else keyword_place(p[1]))
        order = ["body"]
    elif kind == "Call":
        yield "func", node.func
        both = [("args", x) for x in node.args]
        both += [("keywords", x) for x in node.keywords]
        yield from sorted(both, key=lambda p: place(p[1])
                          if not isinstance(p[1], ast.keyword)
                          else keyword_place(p[1]))
        return
    elif kind == "IfExp":
        order = ["body", "test", "orelse"]
    elif kind == "Dict":
        for k, v in zip(node.keys, node.values):
            if k is not None:
                yield "keys", k
            yield "values", v
        return
    elif kind == "DictComp":
        order = ["key", "value", "generators"]
    elif kind == "MatchMapping":
        for k, v in zip(node.keys, node.patterns):
            yield "keys", k
            yield "patterns", v
        return
    elif kind == "TypeAlias":
        order = ["name", "type_params", "value"]
    else:
        order = node._fields
    for f in order:
        x = get(f)
        if isinstance(x, list):
            for y in x:
                yield f, y
        elif isinstance(x, ast.AST):
            yield f, x

def keyword_place(k):
    return place(k) if place(k)[0] else place(k.value)

def bare_name(name, role, flag=""):
    return Node("Name", role, " n=" + name + flag, [])

def convert(node, role=""):
    kind = type(node).__name__
    if kind == "arguments":
        return arguments(node, role)
    bits, kids = "", []
    if kind == "Constant":
        return Node(kind, role, " " + constant(node.value), [])
    if kind == "MatchSingleton":
        return Node(kind, role, " " + constant(node.value), [])
    if kind in ("Global", "Nonlocal"):
        return Node(kind, role, "", [bare_name(n, "name") for n in node.names])
    if kind == "JoinedStr" or kind == "TemplateStr":
        return joined(node, kind, role)
    if kind == "Index":                      # 3.8
        return convert(node.value, role)
    if kind in NAMES:
        name = getattr(node, NAMES[kind])
        if name is not None:
            bits += " n=" + name
    if kind == "alias" and node.asname:
        bits += " a=" + node.asname
    for f in ("op",):
        if hasattr(node, f):
            bits += " o=" + type(node.op).__name__
    if kind == "ImportFrom" and node.level:
        bits += " l=%d" % node.level
    if kind in ("FormattedValue", "Interpolation") and node.conversion > 0:
        bits += " l=%d" % node.conversion
    ctx = type(getattr(node, "ctx", None)).__name__
    bits += {"Store": " +s", "Del": " +d"}.get(ctx, "")
    if kind == "keyword" and node.arg is None:
        bits += " +w"
    if kind == "AnnAssign" and node.simple:
        bits += " +i"
    if kind == "comprehension" and node.is_async:
        bits += " +a"
    if kind == "Compare":
        kids.append(convert(node.left, "left"))
        for op, x in zip(node.ops, node.comparators):
            n = convert(x, "comparator")
            n.bits += "@%s" % OPS[type(op).__name__]
            kids.append(n)
        return Node(kind, role, bits, kids)
    if kind == "MatchClass":
        kids.append(convert(node.cls, "cls"))
        kids += [convert(p, "pattern") for p in node.patterns]
        for a, p in zip(node.kwd_attrs, node.kwd_patterns):
            kids.append(Node("keyword", "kwd_pattern", " n=" + a,
                             [convert(p, "pattern")]))
        return Node(kind, role, bits, kids)
    for f, x in fields(node, kind):
        if f in ("ctx", "op"):
            continue
        if f == "format_spec" and isinstance(x, ast.Constant):
            # What 3.13 makes of some that have no field.
            x = ast.JoinedStr([x])
        if kind == "arg" and f == "annotation":
            kids.append(convert(x, "annotation"))
            continue
        if kind == "ImportFrom" and f == "names":
            kids.append(convert(x, "name"))
            continue
        r = ROLES.get(f, f)
        if f == "args" and kind in ("FunctionDef", "AsyncFunctionDef",
                                    "Lambda"):
            r = "arguments"
        kids.append(convert(x, r))
    return Node(kind, role, bits, kids)

OPS = {}
for i, n in enumerate("Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn".split()):
    OPS[n] = 20 + i

def joined(node, kind, role):
    kids = []
    for v in node.values:
        n = convert(v, "value")
        # Versions differ in whether neighbouring constants are one.
        if kids and n.kind == kids[-1].kind == "Constant":
            kids[-1].bits = kids[-1].bits[:-1] + n.bits[3:]
        elif not (n.kind == "Constant" and n.bits == ' s""'):
            kids.append(n)
    return Node(kind, role, "", kids)

def show(n):
    out, stack = [], [n]
    while stack:
        n = stack.pop()
        if isinstance(n, str):
            out.append(n)
            continue
        bits = n.bits
        if "@" in bits and n.role == "comparator":
            # The operator before a comparator is its level.
            head, _, op = bits.rpartition("@")
            parts = head.split(" +")
            bits = parts[0] + " l=" + op + "".join(" +" + p for p in parts[1:])
        out.append("(" + n.kind + (":" + n.role if n.role else "") + bits)
        stack.append(")")
        for c in reversed(n.children):
            stack.append(c)
            stack.append(" ")
    return "".join(out)

for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as f:
        data = f.read()
    try:
        compile(data, path, "exec", dont_inherit=True)
        tree = ast.parse(data)
        out = "ok " + show(convert(tree))
    except (SyntaxError, ValueError) as e:
        out = "refused %s: %s" % (getattr(e, "lineno", 0), e)
    except (RecursionError, MemoryError) as e:
        out = "toodeep %s" % e
    sys.stdout.buffer.write(out.replace("\n", " ")
                            .encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()
'''


def version_of(python):
    """(3, 11), or (0, 0) for what does not run: a shim, say."""
    out = subprocess.run([python, "-c",
                          "import sys; print(*sys.version_info[:2])"],
                         capture_output=True, text=True)
    if out.returncode != 0:
        return (0, 0)
    return tuple(int(x) for x in out.stdout.split())


def run(command, paths):
    """One line of output for each path."""
    data = "".join(p + "\n" for p in paths).encode("utf-8", "surrogateescape")
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE)
    lines = done.stdout.split(b"\n")[:-1]
    if len(lines) != len(paths):
        at = paths[len(lines)] if len(lines) < len(paths) else "?"
        sys.exit("%s stopped at %s" % (command[0], at))
    return lines


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
              min(len(a), len(b)))
    start = max(0, at - 60)
    return a[start:at + 80], b[start:at + 80]


class Inputs:
    """Files as they are, and rows of tables as temporary files."""

    def __init__(self, folder):
        self.folder = folder
        self.paths, self.labels = [], []

    def add(self, path):
        if os.path.isdir(path):
            for base, dirs, files in sorted(os.walk(path)):
                dirs.sort()
                for name in sorted(files):
                    if name.endswith(".py"):
                        self.add_file(os.path.join(base, name))
        elif path.endswith(".jsonl"):
            self.add_table(path)
        else:
            self.add_file(path)

    def add_file(self, path):
        self.paths.append(path)
        self.labels.append(path)

    def add_table(self, path):
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                row = json.loads(line)
                name = "%s-%d.py" % (os.path.basename(path)[:-6], number)
                target = os.path.join(self.folder, name)
                with open(target, "wb") as out:
                    out.write(data_of(row))
                self.paths.append(target)
                self.labels.append("%s:%d %s" % (path, number, row["name"]))


def data_of(row):
    if "hex" in row:
        return bytes.fromhex(row["hex"])
    return row["code"].encode("utf-8")


def compare(python, minor, astdump, inputs, quiet):
    """How many inputs passed and failed with this interpreter."""
    ours = run([astdump, str(minor)], inputs.paths)
    theirs = run([python, "-c", CHILD], inputs.paths)
    count = dict.fromkeys(("same", "other", "refused", "both", "missed",
                           "deep", "failed", "foreign"), 0)
    for label, a, b in zip(inputs.labels, ours, theirs):
        kind = judge(a, b)
        count[kind] += 1
        if kind in ("other", "refused", "missed", "failed") and not quiet:
            show(label, minor, kind, a, b)
    bad = count["both"] + count["missed"]
    print("3.%d: %d inputs; same %d, other %d, refused though valid %d, no "
          "UTF-8 %d, bad refused %d of %d, too deep for CPython %d, failed %d"
          % (minor, len(ours), count["same"], count["other"],
             count["refused"], count["foreign"], count["both"], bad,
             count["deep"], count["failed"]))
    failed = count["other"] + count["refused"] + count["failed"]
    if count["missed"] * 100 > bad:
        failed += count["missed"]
    return len(ours) - failed, failed


def show(label, minor, kind, ours, theirs):
    print("%s (3.%d): %s" % (label, minor, kind))
    if kind == "other":
        ours, theirs = first_difference(ours, theirs)
    if kind != "missed":
        print("    ours    ", ours[:200].decode("utf-8", "replace"))
    if kind in ("other", "missed"):
        print("    CPython ", theirs[:200].decode("utf-8", "replace"))


def judge(ours, theirs):
    if ours.startswith(b"failed"):
        return "failed"
    if theirs.startswith(b"toodeep"):
        return "deep"
    if theirs.startswith(b"refused"):
        return "both" if ours.startswith(b"refused") else "missed"
    if re.match(rb"refused \S+ source\.", ours):
        return "foreign"
    if ours.startswith(b"refused"):
        return "refused"
    return "same" if ours == theirs else "other"


def interpreters(wanted):
    """{minor: programs}: what is named, or else all that are found."""
    found = [shutil.which(p) or p for p in wanted]
    if not found:
        names = ["python3"] + ["python3.%d" % m for m in range(9, 15)]
        found = [p for p in map(shutil.which, names) if p]
        found += sorted(glob.glob("/usr/bin/python3.[0-9]*[0-9]"))
        root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
        found += sorted(glob.glob(root + "/versions/*/bin/python3"))
    programs = {}
    for program in found:
        version = version_of(program)
        if version[0] == 3 and 9 <= version[1] <= 14:
            programs.setdefault(version[1], []).append(program)
    return sorted(programs.items())


def stdlib_of(python):
    out = subprocess.run([python, "-c", "import os, sysconfig; "
                          "print(os.path.realpath("
                          "sysconfig.get_path('stdlib')))"],
                         capture_output=True, text=True, check=True)
    return out.stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--astdump", required=True)
    parser.add_argument("--stdlib", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("paths", nargs="*")
    args = parser.parse_args()
    passed = failed = 0
    for minor, programs in interpreters(args.python):
        with tempfile.TemporaryDirectory() as folder:
            inputs = Inputs(folder)
            for path in args.paths:
                inputs.add(path)
            if args.stdlib:
                # Of one version there may be several, and parts of a
                # library that only one of them has: its tests, say.
                for library in sorted(set(map(stdlib_of, programs))):
                    inputs.add(library)
            good, bad = compare(programs[0], minor, args.astdump, inputs,
                                args.quiet)
        passed += good
        failed += bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
