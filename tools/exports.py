#!/usr/bin/env python3
"""Prints the version script of the shared library.

    exports.py SONAME HEADER...

What the public headers declare is exported, all else is local.
"""

import re
import sys


def functions(text):
    """Names of the functions that a header declares."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", " ", text, flags=re.M)
    return re.findall(r"\b(sg_\w+)\s*\(", text)


def main(argv):
    names = set()
    for path in argv[2:]:
        with open(path, encoding="utf-8") as f:
            names.update(functions(f.read()))
    print("%s {" % argv[1])
    if names:
        print("global:")
    for name in sorted(names):
        print("\t%s;" % name)
    print("local:\n\t*;\n};")


main(sys.argv)
