#!/usr/bin/env python3
"""Checks a file in Prometheus' text format 0.0.4, and its habits.

    exposition.py FILE
"""

import collections
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:\\[\\"n]|[^"\\\n])*"'
SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)\})? (\S+)$" % (NAME, LABEL, LABEL))


def fail(number, why):
    sys.exit("line %d: %s" % (number, why))


def family_of(name, families):
    if name in families:
        return name
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if families.get(base, ("",))[0] == "histogram" else None


def check_histograms(rows):
    """Buckets rise, end at +Inf, and that is the count."""
    series = collections.defaultdict(list)
    for (name, labels), value in rows.items():
        if not name.endswith("_bucket"):
            continue
        rest, le = re.fullmatch(r'(.*?),?le="([^"]*)"', labels).groups()
        series[name[:-7], rest].append((float(le), value))
    for (base, rest), buckets in series.items():
        bounds = [b for b, _ in buckets]
        counts = [c for _, c in buckets]
        if bounds != sorted(bounds) or counts != sorted(counts) \
                or bounds[-1] != float("inf"):
            sys.exit("%s{%s}: buckets do not rise to +Inf" % (base, rest))
        if rows[base + "_count", rest] != counts[-1]:
            sys.exit("%s{%s}: the count is another" % (base, rest))
        if (base + "_sum", rest) not in rows:
            sys.exit("%s{%s}: there is no sum" % (base, rest))
    return len(series)


def main(path):
    text = open(path, encoding="utf-8", newline="\n").read()
    if not text.endswith("\n"):
        sys.exit("the last line does not end")
    families, helps, rows, last = {}, set(), {}, None
    for number, line in enumerate(text[:-1].split("\n"), 1):
        if line.startswith("# HELP "):
            name, _, words = line[7:].partition(" ")
            if name in helps or not words:
                fail(number, "help twice, or empty")
            helps.add(name)
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            if name in families or name not in helps:
                fail(number, "type twice, or before its help")
            if kind not in ("counter", "gauge", "histogram"):
                fail(number, "no such type")
            if name.endswith("_total") != (kind == "counter"):
                fail(number, "counters, and they alone, end in _total")
            families[name] = (kind, number)
            last = name
        else:
            m = SAMPLE.match(line)
            if not m:
                fail(number, "no sample: " + line)
            name, labels, value = m.groups()
            if family_of(name, families) != last:
                fail(number, "not below its own type")
            if (name, labels or "") in rows:
                fail(number, "twice")
            rows[name, labels or ""] = float(value)
            if families[last][0] != "gauge" and float(value) < 0:
                fail(number, "less than none")
    n = check_histograms(rows)
    if not n or len(rows) < 50:
        sys.exit("%d samples, %d histograms: too few" % (len(rows), n))
    print("%d families, %d samples" % (len(families), len(rows)))


main(sys.argv[1])
