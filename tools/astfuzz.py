#!/usr/bin/env python3
"""Asks CPython and sandgate about programs that nobody would write.

    astfuzz.py --astdump PROGRAM [--python PROGRAM]... [--seed N]
               [--count N] TABLE.jsonl...

Programs are made from those of the tables and from pieces of each
interpreter's own tests: tokens are taken out, put in twice, swapped, replaced
by others or by those of another program.  What comes out is given to both, as
tools/astdiff.py does it, and must be read alike.  The same seed, tables and
interpreter make the same programs.  Differences of each kind are printed
three times; exit status 1 when there are some.
"""

import argparse
import ast
import collections
import glob
import os
import random
import re
import sys
import tempfile
import textwrap
import warnings

import astdiff

BATCH = 2000
LONGEST = 800   # bytes of a program that is taken as a base
SHOWN = 3

TOKEN = re.compile(
    r'[ \t]*\n[ \t]*|[A-Za-z_]\w*|\d[\w.]*|"""|' + "'''" +
    r'|->|:=|\*\*=?|//=?|<<=?|>>=?|\.\.\.|[-+*/%@&|^=<>!]=|[ \t]+|.', re.S)

WORDS = """False None True and as assert async await break class continue def
del elif else except finally for from global if import in is lambda nonlocal
not or pass raise return try while with yield match case type print exec _ x y
self __x __debug__ ( ) [ ] { } , : ; . = + - * / % @ | & ^ ~ < > == != <= >= <<
>> ** // -> := ... += -= *= @= **= ! \\ " ' \"\"\" f" rb" f' u" b" # 0 1 0x 1_0 1e5
1j 0777 01 $ ? ` <> {x} {x!r} {x:y} {{ }}""".split()
PHRASES = ["\n", "\n    ", "\n  ", " ", "\\\n", "\f", "\t", "async for",
           "not in", "is not", "yield from", "except*", "*x", "**x",
           "for x in y", "lambda: 0", "x := 1", "(yield)", "await x", ": int",
           "=1", "from . import x", "import *", "if x", "else y", "type X = ",
           "[T]", "(x)", "[x]", "{x}", "(,)", "as x", "case _:", "\\N{LF}"]


def tokens(text):
    return TOKEN.findall(text)


def of_tables(paths):
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for row in map(astdiff.json.loads, lines):
                if len(row.get("code", " " * LONGEST)) < LONGEST:
                    yield row["code"]


def of_tests(folder, rng):
    """Statements of some files of an interpreter's own tests."""
    paths = sorted(glob.glob(os.path.join(folder, "test", "test_*.py")))
    for path in rng.sample(paths, min(20, len(paths))):
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        lines = text.split("\n")
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.stmt)
                 and n.end_lineno - n.lineno < 12]
        for n in rng.sample(nodes, min(60, len(nodes))):
            piece = textwrap.dedent("\n".join(lines[n.lineno - 1:
                                                    n.end_lineno]))
            if len(piece) < LONGEST:
                yield piece + "\n"


class Maker:
    def __init__(self, bases, rng):
        self.bases, self.rng = bases, rng
        self.pool = [t for b in rng.sample(bases, min(600, len(bases)))
                     for t in tokens(b)]

    def piece(self):
        other = tokens(self.rng.choice(self.bases)) or ["x"]
        start = self.rng.randrange(len(other))
        return other[start:start + self.rng.randrange(1, 8)]

    def change(self, t):
        rng = self.rng
        at, other = rng.randrange(len(t)), rng.randrange(len(t))
        kind = rng.randrange(9)
        if kind == 0:
            del t[at]
        elif kind == 1:
            t.insert(at, t[at])
        elif kind == 2:
            t.insert(at, rng.choice(WORDS))
        elif kind == 3:
            t[at] = rng.choice(WORDS)
        elif kind == 4:
            t[at], t[other] = t[other], t[at]
        elif kind == 5:
            t[at] = rng.choice(self.pool)
        elif kind == 6:
            t.insert(at, rng.choice(PHRASES))
        elif kind == 7:
            t[at:at] = self.piece()
        else:
            t[at:at + rng.randrange(1, 4)] = \
                t[other:other + rng.randrange(1, 5)]

    def make(self):
        """Bytes of a program; what is no text is made anew."""
        while True:
            t = tokens(self.rng.choice(self.bases))
            for _ in range(self.rng.choice((1, 1, 1, 1, 1, 2, 2, 3))):
                t = t or ["x"]
                self.change(t)
            try:
                return "".join(t).encode("utf-8")
            except UnicodeEncodeError:
                continue


def compare(python, minor, astdump, programs):
    """(kind, program, ours, theirs) of each."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, data in enumerate(programs):
            paths.append(os.path.join(folder, "%d.py" % i))
            with open(paths[-1], "wb") as out:
                out.write(data)
        ours = astdiff.run([astdump, str(minor)], paths)
        theirs = astdiff.run([python, "-W", "ignore", "-c", astdiff.CHILD],
                             paths)
    for data, a, b in zip(programs, ours, theirs):
        yield astdiff.judge(a, b), data, a, b


def fuzz(python, minor, args):
    """How many programs were read otherwise."""
    rng = random.Random(args.seed)
    bases = list(of_tables(args.tables))
    bases += of_tests(astdiff.stdlib_of(python), rng)
    maker = Maker(bases, rng)
    count, wrong = collections.Counter(), collections.Counter()
    for start in range(0, args.count, BATCH):
        programs = [maker.make()
                    for _ in range(min(BATCH, args.count - start))]
        for kind, data, a, b in compare(python, minor, args.astdump,
                                        programs):
            count[kind] += 1
            if kind not in ("other", "refused", "missed", "failed"):
                continue
            said = b if kind == "missed" else a
            about = kind, re.sub(rb"'[^']*'|\(.*?\)|\d+", b"", said)[:60]
            wrong[about] += 1
            if wrong[about] <= SHOWN:
                astdiff.show(repr(data.decode("utf-8")), minor, kind, a, b)
    print("3.%d: %d programs; same %d, both refuse %d, differences %d"
          % (minor, args.count, count["same"], count["both"],
             sum(wrong.values())))
    return sum(wrong.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--astdump", required=True)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("tables", nargs="+")
    args = parser.parse_args()
    wrong = 0
    warnings.simplefilter("ignore")
    for minor, programs in astdiff.interpreters(args.python):
        wrong += fuzz(programs[0], minor, args)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
