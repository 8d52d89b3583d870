"""Is what `policy diff` says of two policies what two runs of `filter` say?

    diff.py SANDGATE

The scripts are the tests that stand in the shipped rules.
"""
import collections
import json
import re
import subprocess
import sys
import tempfile


def output(program, *arguments, text=None):
    return subprocess.run([program, *arguments], input=text, check=True,
                          capture_output=True, text=True).stdout


def scripts(program):
    """The tests of all rules, each once."""
    found = {}
    for line in output(program, "policy", "show", "strict").splitlines():
        if line.startswith('  - {"id":'):
            tests = json.loads(line[4:])["tests"]
            found.update(dict.fromkeys(tests["hit"] + tests["pass"]))
    return list(found)


def verdicts(program, policy, rows):
    """For each row its decision and the rules that reject it."""
    for line in output(program, "filter", "--policy", policy, "--text-key",
                       "code", text=rows).splitlines():
        v = json.loads(line)["sandgate"]
        yield v["decision"], {f["rule"] for f in v.get("findings", [])
                              if f["action"] == "reject"}


def expected(old, new):
    changes, rules = collections.Counter(), collections.Counter()
    for (before, was), (after, is_now) in zip(old, new):
        if before != after:
            changes[before, after] += 1
        if "reject" in (before, after) and before != after:
            for rule in is_now if after == "reject" else was:
                rules[rule, after == "reject"] += 1
    return changes, rules


def told(text):
    changes, rules = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        m = re.match(r"  (\w+) +-> (\w+) +(\d+)$", line)
        if m:
            changes[m[1], m[2]] = int(m[3])
        m = re.match(r"([\w.-]+) +(\d+) +(\d+)  ", line)
        if m:
            for newly, n in ((True, m[2]), (False, m[3])):
                if int(n):
                    rules[m[1], newly] = int(n)
    return changes, rules


def main():
    program = sys.argv[1]
    codes = scripts(program)
    rows = "".join(json.dumps({"code": c}) + "\n" for c in codes)
    names = ("default", "strict", "audit")
    of = {n: list(verdicts(program, n, rows)) for n in names}
    passed = failed = 0
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
        f.write(rows)
        f.flush()
        for old in names:
            for new in names:
                text = output(program, "policy", "diff", old, new,
                              "--corpus", f.name)
                want = expected(of[old], of[new])
                head = "%d scripts, %d verdicts change" % (
                    len(codes), sum(want[0].values()))
                good = told(text) == want and text.startswith(head + "\n")
                # what never changes would be told right by anyone
                good = good and (old == new) == (not want[0])
                passed += good
                failed += not good
                if not good:
                    print("diff %s %s says\n%s\nwhere filter says %s, %s"
                          % (old, new, text[:1000], head, want[0]))
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
