"""limits.py BUILD PROGRAM: what happens at the limits of the analyzer.

A script of 1 MiB, whatever its shape, is judged, or rejected with a limit or
a syntax error, within 256 MiB.  Each limit that a policy can set is tried at
it and one beyond.  Time is not asserted here: bench/ measures it.
"""

import json
import os
import subprocess
import sys
import tempfile

MIB = 1 << 20
MEMORY = 256 * MIB

# name: head, what is repeated (%d: a number), tail.  None for the repeated
# part: the head is the whole script.
SHAPES = {
    "comment lines": ("", "# a\n", "x = 1\n"),
    "continuations": ("x = 1 + \\\n", "\\\n", "1\n"),
    "blank lines": ("", "\n", "x = 1\n"),
    "carriage returns": ("", "\r", ""),
    "open parentheses": ("x = ", "(", ""),
    "open brackets": ("x = ", "[", ""),
    "open braces": ("x = ", "{", ""),
    "closing brackets": ("", ")", ""),
    "names": ("", "v%d = v%d\n", ""),
    "one long line": ("x = [", "a, ", "]\n"),
    "one long name": ("", "aaaa", "\n"),
    "one long comment": ("#", "aaaa", "\nx = 1\n"),
    "one long string": ("x = '", "aaaa", "'\n"),
    "one long number": ("x = ", "9", "\n"),
    "alias chain": ("import os\nv0 = os.system\n", "v%d = v%p\n", ""),
    "alias chain, backwards": ("", "v%p = v%d\n", "import os\nv0 = os\n"),
    "alias chain in a loop":
        ("import os\nv0 = os\nwhile a:\n", " v%p = v%d\n", ""),
    "mutually recursive functions":
        ("", "def f%d(a): return f%n(a)\n", ""),
    "functions that call all": ("", "def f%d(a): f%n(a); f%p(f%d)\n", ""),
    "functions of functions":
        ("f = print\n", "f = (lambda g: lambda a: g(a))(f)\n", "f(1)\n"),
    "elif": ("if a: pass\n", "elif a: pass\n", ""),
    "except": ("try: pass\n", "except a: pass\n", ""),
    "cases": ("match a:\n", " case %d: pass\n", ""),
    "dict": ("x = {", "'k%d': v%d, ", "}\n"),
    "dict of dicts": ("x = {", "%d: {%d: [%d]}, ", "}\n"),
    "dict items": ("d = {}\n", "d['k%d'] = d\n", ""),
    "attributes": ("x = a", ".b", "\n"),
    "attributes of a module": ("import os\nx = os", ".b", "\n"),
    "attributes of attributes": ("a = b\n", "a = a.f%d\n", ""),
    "fields": ("class A: pass\na = A()\n", "a.f%d = a.f%p\n", ""),
    "calls of calls": ("x = f", "()", "\n"),
    "subscripts": ("x = a", "[0]", "\n"),
    "decorators": ("", "@d\n", "def f(): pass\n"),
    "decorators that are calls": ("", "@d(%d)\n", "def f(): pass\n"),
    "unclosed string": ("x = '''", "aaaa", ""),
    "unclosed strings": ("", "x = 'a\n", ""),
    "quotes": ("", "'", ""),
    "errors": ("", "a b\n", ""),
    "errors in functions": ("", "def f(:\n", ""),
    "illegal characters": ("", "$ ?\n", ""),
    "f-string fields": ("x = f'", "{a}", "'\n"),
    "f-string in f-string": ("x = ", "f'{", ""),
    "f-string formats": ("x = f'{a", ":{a", "'\n"),
    "lambdas": ("x = ", "lambda: ", "1\n"),
    "not": ("x = ", "not ", "1\n"),
    "minus": ("x = ", "-", "1\n"),
    "sum": ("x = 1", " + 1", "\n"),
    "text sum": ("x = ''", " + 'ab'", "\n"),
    "growing text": ("s = ''\n", "s += 'ab'\n", "eval(s)\n"),
    "doubling text": ("s = 'ab'\n", "s = s + s\n", "eval(s)\n"),
    "doubling list": ("s = ['ab']\n", "s = s * 2\n", "eval(s[0])\n"),
    "repeated text": ("", "x = 'ab' * 1000000000\n", "eval(x)\n"),
    "padded text": ("", "x = '%999999999d' % 1\n", "eval(x)\n"),
    "joined text": ("s = 'a'\n", "s = s.join([s, s, s])\n", ""),
    "replaced text": ("s = 'a'\n", "s = s.replace('a', 'aaaa')\n", ""),
    "decoded text": ("s = 'a'\n", "s = s.encode().hex()\n", ""),
    "conditional": ("x = ", "1 if a else ", "1\n"),
    "conditional texts": ("", "s%d = 'a%d' if a else s%p\n", ""),
    "comprehension clauses": ("x = [1", " for a in b", "]\n"),
    "comprehensions": ("", "x = [a for a in [b for b in c]]\n", ""),
    "arguments": ("f(", "a, ", ")\n"),
    "keyword arguments": ("f(", "a%d=1, ", ")\n"),
    "parameters": ("def f(", "a%d, ", "): pass\n"),
    "classes": ("", "class C%d(C%p): x = 1\n", ""),
    "bases": ("class C(", "A%d, ", "): pass\n"),
    "getattr": ("import os\n", "getattr(os, 'a%d')\n", ""),
    "getattr of getattr": ("import os\nx = os\n", "x = getattr(x, 'a')\n", ""),
    "unpacking": ("", "a, b = b, a\n", ""),
    "star imports": ("", "from os import *\n", "system('x')\n"),
    "imports": ("", "import a%d\n", ""),
    "from-imports": ("from a import (", "b%d, ", ")\n"),
    "global": ("def f():\n", " global a%d\n", ""),
    "semicolons": ("x = 1", "; x", "\n"),
    "suppressions": ("", "# nosec\n", ""),
    "findings": ("import os\n", "os.system('x')\n", ""),
    "paths": ("", "open('/etc/passwd')\n", ""),
    "bidirectional": ("", "# \u202e\n", ""),
    "letters of elsewhere": ("", "\u00e9%d = \U0001d41a\n", ""),
}


def fill(each, i):
    return each.replace("%d", str(i)).replace("%p", str(i - 1)).replace(
        "%n", str(i + 1))


def make(head, each, tail, size=MIB):
    out = [head]
    room = size - len(head.encode()) - len(tail.encode())
    i = 1
    while True:
        part = fill(each, i)
        room -= len(part.encode())
        if room < 0:
            break
        out.append(part)
        i += 1
    return "".join(out) + tail


def staircase(size=MIB):
    out, n, used = [], 0, 0
    while used + n + 6 < size:
        out.append(" " * n + "if a:\n")
        used += n + 6
        n += 1
    return "".join(out) + " " * n + "x\n"


def calling_classes():
    """Ten classes whose instances call one another's, many times."""
    lines = ["class C%d:\n def __call__(s, a): return O[%d](O[a])\n"
             % (i, (i + 1) % 10) for i in range(10)]
    lines.append("O = [%s]\n" % ", ".join("C%d()" % i for i in range(10)))
    return make("".join(lines), "O[%d](O[%p])\n", "")


def brackets(n, pair):
    return "x = " + pair[0] * n + "1" * (pair != "{}") + pair[1] * n + "\n"


MADE = {
    "deeper and deeper": staircase,
    "classes that call one another": calling_classes,
    "closed parentheses": lambda: brackets(MIB // 2 - 8, "()"),
    "closed brackets": lambda: brackets(MIB // 2 - 8, "[]"),
    "closed braces": lambda: brackets(MIB // 2 - 8, "{}"),
}


# Rules of what could not be judged.
UNREAD = ("limit.", "syntax.", "source.")


def is_unread(verdict):
    return any(f["rule"].startswith(UNREAD) for f in verdict["findings"])


class Checks:
    def __init__(self, build, program):
        self.program = program
        # sanitizers keep shadows of all memory
        self.memory = os.path.basename(build) != "asan"
        self.good = self.bad = 0
        self.dir = tempfile.TemporaryDirectory()

    def say(self, ok, what, detail):
        if ok:
            self.good += 1
        else:
            self.bad += 1
            print("%s: %s" % (what, detail))

    def judge(self, code, policy="default"):
        """Exit status or signal, verdict, most memory in bytes."""
        path = os.path.join(self.dir.name, "out")
        row = json.dumps({"code": code}).encode() + b"\n"
        with open(path + ".in", "wb") as f:
            f.write(row)
        with open(path + ".in", "rb") as source, open(path, "wb") as out:
            child = subprocess.Popen(
                [self.program, "filter", "--text-key", "code",
                 "--verdict-only", "--threads", "1", "--policy", policy],
                stdin=source, stdout=out)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
        with open(path, "rb") as f:
            text = f.read()
        try:
            verdict = json.loads(text)["sandgate"]
        except (ValueError, KeyError):
            verdict = None
        return status, verdict, usage.ru_maxrss * 1024

    def policy(self, **limits):
        path = os.path.join(self.dir.name, "policy.yaml")
        with open(path, "w") as f:
            f.write("schema: 1\npolicy: limits\nextends: [default]\n"
                    "limits: {%s}\n" % ", ".join(
                        "%s: %s" % i for i in limits.items()))
        return path

    def shape(self, name, code):
        status, verdict, memory = self.judge(code)
        if status or verdict is None:
            self.say(False, name, "status %d, no verdict" % status)
            return
        rules = [f["rule"] for f in verdict["findings"]]
        unread = [r for r in rules if r.startswith(UNREAD)]
        ok = not unread or (verdict["decision"] == "reject" and
                            unread == rules)
        self.say(ok, name, "%s, %s" % (verdict["decision"], rules[:3]))
        if self.memory:
            self.say(memory < MEMORY, name,
                     "%.0f MiB of memory" % (memory / MIB))

    def limit(self, what, code, policy, rule):
        """rule: what must reject, or None when it must be judged."""
        status, verdict, _ = self.judge(code, policy)
        if status or verdict is None:
            self.say(False, what, "status %d, no verdict" % status)
            return
        rules = [f["rule"] for f in verdict["findings"]]
        ok = not is_unread(verdict) if rule is None else (
            verdict["decision"] == "reject" and rules == [rule])
        self.say(ok, what, "wanted %s, found %s" % (
            rule or "a judgement", rules[:3]))


def least(checks, key, code):
    """The least limit with which the script is judged, found by halving."""
    low, high = 0, 1000
    while high - low > 1:
        middle = (low + high) // 2
        _, verdict, _ = checks.judge(
            code, checks.policy(**{key: middle, "time_ms": "20s"}))
        if verdict and not is_unread(verdict):
            high = middle
        else:
            low = middle
    return high


def bounds(checks):
    patient = {"time_ms": "20s"}
    body = "x = 1\n"
    for size in (64, 4096, MIB):
        code = body + "#" * (size - len(body) - 1) + "\n"
        limit = checks.policy(bytes=size, **patient)
        checks.limit("%d bytes of %d" % (size, size), code, limit, None)
        checks.limit("%d bytes of %d" % (size + 1, size), "#" + code, limit,
                     "limit.bytes")
    code = "é = 'é'\n"
    size = len(code.encode())
    checks.limit("bytes are not letters", code,
                 checks.policy(bytes=size, **patient), None)
    checks.limit("bytes are not letters, beyond", code,
                 checks.policy(bytes=size - 1, **patient), "limit.bytes")
    for n in (10, 20):
        depths = least(checks, "depth", "x = " + "-" * n + "1\n")
        limit = checks.policy(depth=depths, **patient)
        checks.limit("depth, at", "x = " + "-" * n + "1\n", limit, None)
        checks.limit("depth, beyond", "x = " + "-" * (n + 1) + "1\n", limit,
                     "limit.depth")
    code = "x = 1\n" * 10
    nodes = least(checks, "nodes", code)
    limit = checks.policy(nodes=nodes, **patient)
    checks.limit("nodes, at", code, limit, None)
    checks.limit("nodes, beyond", code + "x = 1\n", limit, "limit.nodes")
    # 1 ms is too little for what takes tens of them
    code = make("", "v%d = v%p\n", "", MIB // 4)
    checks.limit("time, within", code, checks.policy(**patient), None)
    checks.limit("time, beyond", code, checks.policy(time_ms=1),
                 "limit.time")


def main(build, program):
    checks = Checks(build, program)
    for name, (head, each, tail) in SHAPES.items():
        checks.shape(name, make(head, each, tail))
    for name, function in MADE.items():
        checks.shape(name, function())
    bounds(checks)
    print("%d passed, %d failed" % (checks.good, checks.bad))
    return checks.bad or not checks.good


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1], sys.argv[2]) else 0)
