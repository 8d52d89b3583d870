#!/usr/bin/env python3
"""Prints line coverage by layer and file after `make cover` ran the tests.

    coverage.py OBJECTS LAYER...
"""

import glob
import json
import os
import subprocess
import sys


def lines_of(objects, layer):
    """{source: {line: hit}} of one layer."""
    found = {}
    notes = sorted(glob.glob(os.path.join(objects, layer, "*.gcno")))
    if not notes:
        return found
    out = subprocess.run(["gcov", "--json-format", "--stdout"] + notes,
                         check=True, capture_output=True, text=True).stdout
    here = os.getcwd() + os.sep
    for doc in out.splitlines():
        for f in json.loads(doc)["files"]:
            name = f["file"]
            if name.startswith(here):
                name = name[len(here):]
            if not name.startswith(layer + "/"):
                continue
            rows = found.setdefault(name, {})
            for row in f["lines"]:
                n = row["line_number"]
                rows[n] = rows.get(n, False) or row["count"] > 0
    return found


def main(argv):
    objects, layers = argv[1], argv[2:]
    all_hit = all_lines = 0
    for layer in layers:
        files = lines_of(objects, layer)
        hit = sum(sum(rows.values()) for rows in files.values())
        lines = sum(len(rows) for rows in files.values())
        all_hit += hit
        all_lines += lines
        if not lines:
            continue
        print("%-36s %5.1f %%  of %d lines" %
              (layer, 100 * hit / lines, lines))
        for name, rows in sorted(files.items()):
            print("  %-34s %5.1f %%" %
                  (name, 100 * sum(rows.values()) / max(len(rows), 1)))
    print("%-36s %5.1f %%  of %d lines" %
          ("all", 100 * all_hit / max(all_lines, 1), all_lines))


main(sys.argv)
