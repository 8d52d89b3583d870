#!/usr/bin/env python3
"""Turns rules/characters/names.tsv into the C tables of analyzer/charname.h.

usage: chartable.py OUT.c names.tsv
"""
import sys

HASH_BITS = 40
FIRST = 9


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def rows(path):
    """(since, first, last, name); no name for a range of ideographs."""
    last, name = -1, ""
    with open(path, encoding="ascii") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            cells = line.rstrip("\n").split("\t")
            since = int(cells[0] or FIRST)
            if ".." in cells[1]:
                first, _, end = cells[1].partition("..")
                yield since, int(first, 16), int(end, 16), None
                continue
            last = int(cells[1], 16) if cells[1] else last + 1
            name = name[:int(cells[2])] + cells[3]
            yield since, last, last, name


def spans(ages):
    """Runs of characters that came with the same version."""
    out = []
    for code in sorted(ages):
        if out and out[-1][1] == code - 1 and out[-1][2] == ages[code]:
            out[-1][1] = code
        else:
            out.append([code, code, ages[code]])
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    keys, ages, ideographs = {}, {}, []
    for since, first, last, name in rows(sys.argv[2]):
        if name is None:
            ideographs.append([first, last, since])
        else:
            high = fnv1a(name.encode()) >> (64 - HASH_BITS)
            if high in keys:
                sys.exit("two names have one hash: " + name)
            keys[high] = (since - FIRST) << 21 | first
        for code in range(first, last + 1):
            ages[code] = min(since, ages.get(code, since))
    new = spans({code: age for code, age in ages.items() if age > FIRST})
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "analyzer/charname.h"\n\n')
        out.write("const uint64_t sg_charname_keys[] = {\n")
        for high in sorted(keys):
            out.write("\t0x%xu,\n" % (high << 24 | keys[high]))
        out.write("};\nconst uint32_t sg_charname_nkeys = %du;\n" % len(keys))
        for what, table in (("new", new), ("ideographs", ideographs)):
            out.write("const struct sg_charname_span sg_charname_%s[] = {\n"
                      % what)
            for span in table:
                out.write("\t{ 0x%xu, 0x%xu, %du },\n" % tuple(span))
            out.write("};\nconst uint32_t sg_charname_n%s = %du;\n"
                      % (what, len(table)))


if __name__ == "__main__":
    main()
