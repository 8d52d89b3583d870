#!/usr/bin/env python3
"""Turns rules/modules/*.tsv into one C table with its hash.

usage: modtable.py OUT.c FILE.tsv ...

Five-column files are what tools/modules.py writes; two-column ones
(returns.tsv) say what a call gives: "pandas.read_csv<TAB>pandas.DataFrame".
"""
import sys

CHUNK = 1024  # bytes a string literal: pedantic C ends at 4095
KINDS = {"m": 1, "c": 2, "f": 3, "o": 4, "r": 5, "M": 6}


def fnv1a(data):
    h = 2166136261
    for byte in data:
        h = (h ^ byte) * 16777619 & 0xFFFFFFFF
    return h


def rows(files):
    out, modules = {}, set()
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("#") or not line.strip():
                    continue
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 2:
                    out[cells[0] + "()"] = ("r", False, cells[1], "")
                    continue
                module, name, flags, target, bases = cells
                path = name if module == "-" else f"{module}.{name}"
                out.setdefault(path, (flags[0], "p" in flags,
                                      target.strip("-"), bases.strip("-")))
                if module != "-":
                    modules.add(module)
    for module in modules:
        out.setdefault(module, ("M", False, "", ""))
    return out


def resolves(table, path, busy):
    """Whether following every alias on the way to `path` ends."""
    if path in busy or len(busy) > 12:
        return False
    head, _, _ = path.rpartition(".")
    if head and not resolves(table, head, busy | {path}):
        return False
    target = table[path][2] if path in table else ""
    if not target or target == path or table[path][0] == "r":
        return True
    return resolves(table, target, busy | {path})


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    table = rows(sys.argv[2:])
    for path in sorted(table):
        if not resolves(table, path, frozenset()):
            kind, star, _, bases = table[path]
            table[path] = (kind, star, "", bases)
    blob, places = bytearray(b"\0"), {b"": 0}

    def place(text):
        data = text.encode()
        if data not in places:
            places[data] = len(blob)
            blob.extend(data + b"\0")
        return places[data]

    size = 1
    while size < 2 * len(table):
        size *= 2
    slots, entries = [0] * size, []
    for path in sorted(table):
        kind, star, target, bases = table[path]
        entries.append((place(path), len(path.encode()), KINDS[kind],
                        int(star), place(target), place(bases)))
        at = fnv1a(path.encode()) & (size - 1)
        while slots[at]:
            at = (at + 1) & (size - 1)
        slots[at] = len(entries)
    with open(sys.argv[1], "w", encoding="ascii") as out:
        write(out, blob, entries, slots)


def write(out, blob, entries, slots):
    out.write('/* Made by tools/modtable.py. */\n'
              '#include "analyzer/modtable.h"\n\n')
    while len(blob) % CHUNK:
        blob.append(0)
    out.write(f"const char sg_modtable_text[][{CHUNK}] = {{\n")
    for at in range(0, len(blob), CHUNK):
        part = blob[at:at + CHUNK].decode("latin-1").replace("\0", "\\0")
        out.write(f'"{part}",\n')
    out.write("};\n\nconst struct sg_modtable_row sg_modtable_rows[] = {\n"
              "{ 0, 0, 0, 0, 0, 0 },\n")
    for entry in entries:
        out.write("{%d,%d,%d,%d,%d,%d},\n" % entry)
    out.write("};\n\nconst uint16_t sg_modtable_slots[] = {\n")
    for at in range(0, len(slots), 16):
        out.write(",".join(map(str, slots[at:at + 16])) + ",\n")
    out.write("};\n\nconst uint32_t sg_modtable_mask = %du;\n"
              % (len(slots) - 1))


if __name__ == "__main__":
    main()
