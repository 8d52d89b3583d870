"""Texts compared: unified diffs, close matches, opcodes."""
import difflib

old = "one\ntwo\nthree\nfour\nfive\n".splitlines(True)
new = "one\n2\nthree\nfour\nfive\nsix\n".splitlines(True)
print("".join(difflib.unified_diff(old, new, "old.txt", "new.txt")))
print("".join(difflib.ndiff(["colour\n", "grey\n"], ["color\n", "grey\n"])))
print("".join(difflib.restore(difflib.ndiff(old, new), 2)) == "".join(new))
matcher = difflib.SequenceMatcher(None, "private thread", "private volatile thread")
print(matcher.get_opcodes(), round(matcher.ratio(), 4), matcher.find_longest_match(0, 14, 0, 23))
print(difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]))
print(len(difflib.HtmlDiff().make_table(old, new)) > 500)
