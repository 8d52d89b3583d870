#!/usr/bin/env python3
"""Writes a C file that holds the bytes of other files.

    embed.py ARRAY OUT.c [NAME=]FILE...

The table is `const struct sg_embed ARRAY[]` (base/embed.h), in the order of
the arguments and ended by a NULL name.  Without NAME the file's own name
without its ending is used.
"""

import hashlib
import os
import sys

LINE = 24


def literal(data):
    """The bytes as C string literals, some on each line."""
    lines = []
    for at in range(0, len(data), LINE):
        text = "".join("\\%03o" % b for b in data[at:at + LINE])
        lines.append('\t"%s"' % text)
    return "\n".join(lines) or '\t""'


def source(array, files):
    out = ["/* Written by tools/embed.py. */",
           '#include "base/embed.h"',
           '#pragma GCC diagnostic ignored "-Woverlength-strings"']
    rows = []
    for i, (name, data) in enumerate(files):
        out.append("static const char data_%d[] =\n%s;" % (i, literal(data)))
        rows.append('\t{ "%s", { data_%d, sizeof(data_%d) - 1 },\n\t  "%s" },'
                    % (name, i, i, hashlib.sha256(data).hexdigest()))
    out.append("extern const struct sg_embed %s[];" % array)
    out.append("const struct sg_embed %s[] = {" % array)
    out += rows + ["\t{ NULL, { NULL, 0 }, NULL },", "};", ""]
    return "\n".join(out)


def main(argv):
    if len(argv) < 3:
        sys.exit("usage: embed.py ARRAY OUT.c [NAME=]FILE...")
    array, out, args = argv[1], argv[2], argv[3:]
    files = []
    for arg in args:
        name, eq, path = arg.partition("=")
        if not eq:
            path = arg
            name = os.path.splitext(os.path.basename(arg))[0]
        with open(path, "rb") as f:
            files.append((name, f.read()))
    text = source(array, files)
    temp = out + ".tmp"
    with open(temp, "w", encoding="ascii") as f:
        f.write(text)
    os.replace(temp, out)


main(sys.argv)
