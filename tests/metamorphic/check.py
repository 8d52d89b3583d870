"""check.py PROGRAM [-v] [RULE...]: metamorphic tests of the shipped rules.

Each `hit` test of a rule is rewritten in many ways that mean the same, and
the rule must still find something; each `pass` test gets other names and
another layout, and the rule must still find nothing.  All variants of a
policy go through one `sandgate filter`.
"""

import ast
import collections
import json
import subprocess
import sys
import tempfile
import warnings

import layout
import names
import values

# The rules of default stand in strict as well, and audit has no others.
POLICIES = ("default", "strict")

# Rules of what could not be judged.
UNREAD = ("limit.", "syntax.", "source.")

# Which rewritings change what a rule is about, so that it need not hit.
# (rule, piece of its test's code, rewritings that begin so, why); an entry
# that excuses nothing any more is an error.
TREE = ("reform:", "value:", "text:", "getattr:", "rename:", "lookalike:",
        "import:", "wrap:")
EXEMPT = (
    ("SG601", "", TREE,
     "is about a comment, which a tree written anew has not"),
    ("SG602", "", TREE,
     "is about characters, which a tree written anew escapes"),
    ("SG112", "", ("value:",),
     "guesses from how a call on something unknown is written; what is "
     "unknown has no value to follow"),
    ("SG112", "image.show", ("getattr:",),
     "guesses from how a call on something unknown is written"),
    ("SG113", "lambdify", ("value:", "text: dict item"),
     "wants the text to stand within the call"),
    ("SG119", "register", ("value:",),
     "knows what is registered by the decorator that stands there"),
    ("SG401", "abspath(__file__)", ("value:",),
     "wants the name to stand within the call that opens it"),
    ("SG401", "image.save", ("value:", "text:", "getattr:"),
     "wants a literal in a call on something unknown"),
    ("SG119", "argv=", ("value:",), "wants the text to stand within the call"),
    ("SG507", "",
     ("value:", "rename:", "lookalike:", "reform: parentheses",
      "reform: more", "layout: cont", "layout: comments in brackets"),
     "is about the text of a loop"),
)
# Notes on code that never runs, and the rules that reject what they note when
# the rewriting leaves a way to run it.
STRICTER = {"SG111": {"SG101"}, "SG406": {"SG403", "SG501"},
            "SG407": {"SG401"}}


def policy_rules(program, policy):
    shown = subprocess.run([program, "policy", "show", policy], check=True,
                           capture_output=True, text=True).stdout
    for line in shown.splitlines():
        if line.startswith("  - {\"id\":"):
            yield json.loads(line[4:])


def exemption(rule, code, how):
    """The entry of EXEMPT that excuses this variant, or None."""
    for i, (name, piece, starts, _) in enumerate(EXEMPT):
        if rule == name and piece in code and how.startswith(starts):
            return i
    return None


def variants(code, hit):
    yield "as it is", code
    yield from layout.layouts(code)
    yield from layout.reforms(code)
    yield from names.renames(code, harmful=not hit)
    if hit:
        yield from values.detours(code)
        yield from values.hoists(code)
        yield from values.texts(code)
        yield from values.attributes(code)
        yield from names.lookalikes(code)
        yield from names.imports(code)
        yield from names.wraps(code)


def is_program(code):
    try:
        compile(code.encode(), "variant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def same_tree(a, b):
    return ast.dump(ast.parse(a.encode())) == ast.dump(ast.parse(b.encode()))


# Rewritings after which the tree is the same, not only its meaning.
SAME = ("layout:", "reform: unparse", "reform: parentheses", "lookalike:",
        "reform: more parentheses", "reform: semicolons")


def all_variants(rules):
    for rule in rules:
        for kind in ("hit", "pass"):
            for code in rule["tests"][kind]:
                seen = set()
                for how, text in variants(code, kind == "hit"):
                    if text in seen or not is_program(text):
                        continue
                    if how.startswith(SAME) and not same_tree(code, text):
                        continue
                    seen.add(text)
                    excuse = exemption(rule["id"], code, how) \
                        if kind == "hit" else None
                    yield rule["id"], kind, how, text, excuse


def judge(program, policy, cases):
    """The rules that find something in each case."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        # a busy host must not make a test fail
        f.write("schema: 1\npolicy: patient\nextends: [%s]\n"
                "limits: {time_ms: 20s}\n" % policy)
        f.flush()
        rows = "".join(json.dumps({"code": c[3]}) + "\n" for c in cases)
        out = subprocess.run(
            [program, "filter", "--text-key", "code", "--verdict-only",
             "--policy", f.name], check=True, input=rows.encode(),
            stdout=subprocess.PIPE).stdout
    for line in out.decode().splitlines():
        verdict = json.loads(line)["sandgate"]
        found = [x["rule"] for x in verdict["findings"]]
        yield not any(r.startswith(UNREAD) for r in found), found


def is_good(rule, kind, judged, found):
    if kind == "pass":
        return judged and rule not in found
    return judged and (rule in found or
                       bool(STRICTER.get(rule, set()) & set(found)))


class Tally:
    def __init__(self, verbose):
        self.verbose = verbose
        self.good = self.bad = 0
        self.counts = collections.Counter()
        self.excused = collections.Counter()  # (entry, would it have failed)

    def add(self, case, judged, found):
        rule, kind, how, code, excuse = case
        good = is_good(rule, kind, judged, found)
        self.counts[kind, how, excuse is None] += 1
        if excuse is not None:
            self.excused[excuse, not good] += 1
        elif good:
            self.good += 1
        else:
            self.fail("%s, %s, %s; found: %s\n  %r" % (
                rule, kind, how, ", ".join(found) or "nothing", code))

    def fail(self, text):
        self.bad += 1
        print(text)

    def finish(self, whole):
        for i, (rule, piece, starts, why) in enumerate(EXEMPT):
            if whole and not self.excused[i, True]:
                self.fail("the exemption of %s %r is not needed" %
                          (rule, piece))
            if self.verbose:
                print("%s %s: %d exempt, %d of them not found: %s" % (
                    rule, piece, self.excused[i, True] +
                    self.excused[i, False], self.excused[i, True], why))
        if self.verbose:
            for (kind, how, counted), n in sorted(self.counts.items()):
                print("%7d  %-4s %s%s" % (n, kind, how,
                                          "" if counted else " (exempt)"))
        print("%d passed, %d failed" % (self.good, self.bad))


def main(program, verbose, wanted):
    tally, seen = Tally(verbose), set()
    for policy in POLICIES:
        rules = [r for r in policy_rules(program, policy)
                 if r["id"] not in seen and (not wanted or r["id"] in wanted)]
        seen.update(r["id"] for r in rules)
        cases = list(all_variants(rules))
        results = list(judge(program, policy, cases))
        if len(results) != len(cases):
            tally.fail("%s: %d answers for %d scripts" % (
                policy, len(results), len(cases)))
        for case, (judged, found) in zip(cases, results):
            tally.add(case, judged, found)
    tally.finish(not wanted)
    return tally.bad or not tally.good


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    arguments = [a for a in sys.argv[2:] if a != "-v"]
    sys.exit(1 if main(sys.argv[1], "-v" in sys.argv, arguments) else 0)
