#!/usr/bin/env python3
"""Asks CPythons which characters they know by name: rules/characters/names.tsv.

usage: charnames.py --aliases NameAliases.txt [--python PROGRAM]...
                    [--unicode MINOR=FOLDER]... >names.tsv

Each PROGRAM is a CPython 3.9 or later; what it takes within \\N{...} is what
counts, so that a name of the Unicode Character Database that it does not take
is left out.  unicodedata knows no list of aliases: those of NameAliases.txt
are tried one by one.  For a version that is not at hand, FOLDER holds the
UnicodeData.txt and NameAliases.txt of its database.

A line of the output has four columns: the first minor version of Python 3
that knows the name (empty: 9), the code point (hexadecimal; empty: one more
than the line before), how many characters the name shares with that of the
line before, and the rest of it.  Left out are the names that follow from the
code point by a rule: those of Hangul syllables and of unified ideographs, of
which the ranges are given instead, as FIRST..LAST without a name.
"""
import argparse
import subprocess
import sys

FIRST = 9
RULED = ("HANGUL SYLLABLE ", "CJK UNIFIED IDEOGRAPH-")

CHILD = r'''
import sys, unicodedata
print(sys.version_info[1])
for c in range(0x110000):
    name = unicodedata.name(chr(c), None)
    if name:
        print("%x;%s" % (c, name))
for line in sys.stdin:
    name = line.rstrip("\n")
    try:
        print("%x;%s" % (ord(eval('"\\N{%s}"' % name)), name))
    except SyntaxError:
        pass
'''


def aliases_of(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            cells = line.split("#")[0].strip().split(";")
            if len(cells) == 3:
                yield int(cells[0], 16), cells[1]


def ask(python, aliases):
    done = subprocess.run([python, "-c", CHILD], text=True, check=True,
                          input="".join(name + "\n" for name in aliases),
                          stdout=subprocess.PIPE)
    minor, *lines = done.stdout.splitlines()
    pairs = (line.split(";") for line in lines)
    return int(minor), {name: int(code, 16) for code, name in pairs}


def database(folder):
    """What a CPython would make of it; ideographs are in no version new
    that is not asked."""
    names = {}
    with open(folder + "/UnicodeData.txt", encoding="utf-8") as lines:
        for line in lines:
            code, name = line.split(";")[:2]
            if not name.startswith("<"):
                names[name] = int(code, 16)
    names.update((name, code) for code, name
                 in aliases_of(folder + "/NameAliases.txt"))
    return names


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aliases", required=True)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--unicode", action="append", default=[])
    args = parser.parse_args()
    aliases = [name for _, name in aliases_of(args.aliases)]
    versions = [ask(python, aliases) for python in args.python]
    for spec in args.unicode:
        minor, _, folder = spec.partition("=")
        versions.append((int(minor), database(folder)))
    since, code = {}, {}
    for minor, names in sorted(versions, key=lambda v: v[0]):
        for name, c in names.items():
            since.setdefault(name, minor)
            assert code.setdefault(name, c) == c, name
    print("# Written by tools/charnames.py: the names within \\N{...}.")
    write_ranges(since, code)
    write_names(since, code)


def write_ranges(since, code):
    ideographs = sorted((code[n], since[n]) for n in code
                        if n.startswith(RULED[1]))
    start = last = 0
    for (c, s), after in zip(ideographs, ideographs[1:] + [(0, 0)]):
        start = start or c
        if after != (c + 1, s):
            print("%s\t%X..%X" % (s if s > FIRST else "", start, c))
            start = 0


def write_names(since, code):
    last, before = -1, ""
    for name in sorted(code, key=lambda n: (code[n], since[n], n)):
        if name.startswith(RULED):
            continue
        shared = 0
        while name[:shared + 1] == before[:shared + 1] and \
                shared < min(len(name), len(before)):
            shared += 1
        print("%s\t%s\t%d\t%s" % (
            since[name] if since[name] > FIRST else "",
            "" if code[name] == last + 1 else "%X" % code[name],
            shared, name[shared:]))
        last, before = code[name], name


if __name__ == "__main__":
    sys.exit(main())
