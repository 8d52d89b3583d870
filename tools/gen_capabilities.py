#!/usr/bin/env python3
"""Compiles the capability tables into C.

    gen_capabilities.py OUT.c rules/capabilities/*.yaml rules/modules/*.tsv

The tables are a small part of YAML: one mapping, `NAME: WORDS` on each line,
comments and blank lines.  rules/README.md describes them.  names.yaml lists
the capabilities; every other file says what dotted names can do:

    subprocess.**: exec.process              the module and all below
    os.exec*: exec.process                   a glob
    builtins.open: @0/file mode=1/mode       a path, and the mode of a file
    pandas.read_csv: fs.read @0/filepath_or_buffer url
    socket.timeout: none                     carved out of socket.**
"""

import os
import re
import sys

import modtable

EXACT, UNDER, LAST, LOOSE = range(4)
LINE = re.compile(r'("?)([^\s":]+)\1:(?:\s+(.*?))?\s*(?:#.*)?$')
PLACES = "exact under last".split()


def die(path, number, text):
    sys.exit("%s:%d: %s" % (path, number, text))


def fnv(text):
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 & 0xffffffff
    return value


def rows(path):
    """Yields (line number, name, words)."""
    seen = {}
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            m = LINE.match(line)
            if m is None:
                die(path, number, "not of the form 'NAME: WORDS'")
            if m.group(2) in seen:
                die(path, number, "'%s' stands in line %d already"
                    % (m.group(2), seen[m.group(2)]))
            seen[m.group(2)] = number
            yield number, m.group(2), (m.group(3) or "").split()


def filed_under(glob):
    """As classify() in policy/names.c does it."""
    wild = re.search(r"[*?]", glob)
    if wild is None:
        return EXACT, glob
    dot = glob.rfind(".", 0, wild.start())
    if dot > 0:
        return UNDER, glob[:dot]
    last = max(glob.rfind("*"), glob.rfind("?"))
    dot = glob.rfind(".", last + 1)
    if dot >= 0 and dot + 1 < len(glob):
        return LAST, glob[dot + 1:]
    return LOOSE, ""


def argument(path, number, text):
    position, _, keyword = text.partition("/")
    if position == "-":
        position = ""
    if position == "" and keyword:
        return -1, keyword
    if not position.isdigit():
        die(path, number, "'%s' is not POSITION/KEYWORD" % text)
    return int(position), keyword


def is_module(name, modules):
    return "." not in name or modules.get(name, "-")[0] in "mM"


class Entry:
    def __init__(self, path, number, glob, words, bits, modules):
        self.glob = glob
        self.caps = 0
        self.paths = []
        self.flags = []
        self.mode = (-1, "")
        self.place, key = filed_under(glob)
        self.key = fnv(key)
        self.where = (path, number)
        if self.place == LOOSE:
            die(path, number, "'%s' has no part without wildcards" % glob)
        for word in words:
            if word in bits:
                self.caps |= 1 << bits[word]
            elif word.startswith("@"):
                self.paths.append(argument(path, number, word[1:]))
            elif word.startswith("mode="):
                self.mode = argument(path, number, word[5:])
                self.flags.append("SG_CAP_MODE")
            elif word == "url":
                self.flags.append("SG_CAP_URL")
            elif word != "none":
                die(path, number, "'%s' is no capability" % word)
        if not words:
            die(path, number, "'%s' says nothing" % glob)
        if self.place == EXACT and is_module(glob, modules):
            self.flags.append("SG_CAP_MODULE")
        if len(self.paths) > 3:
            die(path, number, "at most three paths")


def read(paths, modules):
    names = [p for p in paths if os.path.basename(p) == "names.yaml"]
    if len(names) != 1:
        sys.exit("gen_capabilities.py: one names.yaml is wanted")
    caps = [(name, " ".join(words)) for _, name, words in rows(names[0])]
    if len(caps) > 64:
        sys.exit("%s: more than 64 capabilities" % names[0])
    bits = {name: i for i, (name, _) in enumerate(caps)}
    entries, seen = [], {}
    for path in sorted(p for p in paths if p not in names):
        for number, name, words in rows(path):
            globs = [name]
            if name.endswith(".**"):
                globs = [name[:-3], name[:-1]]
            for glob in globs:
                if glob in seen:
                    die(path, number, "'%s' stands in %s:%d already"
                        % ((glob,) + seen[glob].where))
                seen[glob] = Entry(path, number, glob, words, bits,
                                   modules)
                entries.append(seen[glob])
    return caps, entries


def slots(entries):
    room = 64
    while room < 3 * len(entries):
        room *= 2
    table = [0] * room
    for i, entry in enumerate(entries):
        at = entry.key & (room - 1)
        while table[at]:
            at = (at + 1) & (room - 1)
        table[at] = i + 1
    return table


def array(kind, name, values, wide=8):
    out = ["static const %s %s[] = {" % (kind, name)]
    for i in range(0, len(values), wide):
        out.append("\t" + " ".join("%s," % v for v in values[i:i + wide]))
    return out + ["};"]


def quoted(text):
    return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"')


def row(entry):
    args = ", ".join("{ %d, %s }" % (p, quoted(k)) for p, k in entry.paths)
    return "\t{ %s, UINT64_C(%#x), %s, %d, { %s }, { %d, %s } }," % (
        quoted(entry.glob), entry.caps, " | ".join(entry.flags) or "0",
        len(entry.paths), args or "{ -1, \"\" }",
        entry.mode[0], quoted(entry.mode[1]))


def source(caps, entries):
    table = slots(entries)
    out = ["/* Written by tools/gen_capabilities.py. */",
           '#include "policy/capability.h"']
    # A text that fills its array would have no NUL, and no warning either.
    out += ['_Static_assert(%s > %d, "the longest fits");' % pair for pair in (
        ("SG_CAP_GLOB", max(len(e.glob) for e in entries)),
        ("SG_CAP_KEYWORD", max(len(keyword) for e in entries
                               for _, keyword in e.paths + [e.mode])))]
    out += array("char *const", "names", [quoted(n) for n, _ in caps], 4)
    out += array("char *const", "texts", [quoted(t) for _, t in caps], 1)
    out += ["static const struct sg_cap_entry entries[] = {"]
    out += [row(e) for e in entries] + ["};"]
    out += array("uint32_t", "keys", ["%#xu" % e.key for e in entries])
    out += array("uint8_t", "places",
                 ["SG_NAME_" + PLACES[e.place].upper() for e in entries], 4)
    out += array("uint16_t", "slots", table, 12)
    out += ["const struct sg_cap_tables sg_cap_tables = {",
            "\tnames, texts, %d, entries, keys, places, %d, slots, %d,"
            % (len(caps), len(entries), len(table) - 1), "};", ""]
    return "\n".join(out)


def main(argv):
    if len(argv) < 3:
        sys.exit("usage: gen_capabilities.py OUT.c FILE...")
    tables = [p for p in argv[2:] if p.endswith(".tsv")]
    caps, entries = read([p for p in argv[2:] if p not in tables],
                         modtable.rows(tables))
    if len(entries) > 65000:
        sys.exit("gen_capabilities.py: too many entries")
    text = source(caps, entries)
    temp = argv[1] + ".tmp"
    with open(temp, "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(temp, argv[1])


main(sys.argv)
