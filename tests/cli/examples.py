#!/usr/bin/env python3
"""Runs the examples of a document and compares what they print.

    examples.py [--update] PROGRAM DOCUMENT...

An example is a block of a README (```console) or of a manual page (a literal
display that begins with "$ ").  Each line that begins with "$ " is given to
a shell, in one folder for the whole document that begins as a copy of
docs/examples; what follows is what it must print, stdout and stderr together.
"..." stands for any text.  A line "(exit status N)" holds the status, which
is 0 without one.  --update writes what is printed into the document.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(lines):
    """Yields (first, last) of the lines inside each block of examples."""
    start = None
    for i, line in enumerate(lines):
        if start is None and line.rstrip() in ("```console", ".Bd -literal"):
            start = i + 1
        elif start is not None and line.rstrip() in ("```", ".Ed"):
            if i > start and lines[start].startswith("$ "):
                yield start, i
            start = None


def examples(lines):
    """Splits the lines of a block into (command lines, expected lines)."""
    found = []
    more = False
    for line in lines:
        if line.startswith("$ "):
            found.append(([line], []))
        elif more:
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
        more = (line.startswith("$ ") or more) and line.endswith("\\")
    return found


def unescape(line, manual):
    """What a reader of a manual page sees."""
    if not manual:
        return line
    return line.replace("\\&", "").replace("\\e", "\\").replace("\\-", "-")


def escape(line, manual):
    """The other way round."""
    if not manual:
        return line
    line = line.replace("\\", "\\e")
    return "\\&" + line if line.startswith((".", "'")) else line


def run(command, folder, env):
    """What a command prints, its status as a last line unless it is 0."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)
    out = [line.rstrip() for line in done.stdout.splitlines()]
    return out + ([f"(exit status {done.returncode})"]
                  if done.returncode else [])


def matches(want, got):
    pattern = re.escape("\n".join(line.rstrip() for line in want))
    pattern = pattern.replace(re.escape("..."), "(?s:.*?)")
    return re.fullmatch(pattern, "\n".join(got)) is not None


def document(path, env, update):
    """(good, bad) examples of one document."""
    text = path.read_text(encoding="utf-8").splitlines()
    manual = path.suffix != ".md"
    good = bad = 0
    new = list(text)
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "examples")
        shutil.copytree(ROOT / "docs" / "examples", folder)
        env = dict(env, SANDGATE_AUDIT=os.path.join(folder, "audit.jsonl"))
        shift = 0
        for first, last in blocks(text):
            out = []
            for command, want in examples(text[first:last]):
                shell = "\n".join(unescape(c, manual) for c in command)[2:]
                want = [unescape(w, manual) for w in want]
                got = run(shell, folder, env)
                if matches(want, got):
                    good += 1
                    out += command + [escape(w, manual) for w in want]
                    continue
                bad += 1
                out += command + [escape(g, manual) for g in got]
                if not update:
                    print(f"FAILED: {path.name}: {shell}")
                    print("    wanted:", *want, sep="\n        ")
                    print("    got:", *got, sep="\n        ")
            new[first + shift:last + shift] = out
            shift += len(out) - (last - first)
    if update:
        path.write_text("\n".join(new) + "\n", encoding="utf-8")
    return good, bad


def main(argv):
    update = argv[1] == "--update"
    program, *documents = argv[2:] if update else argv[1:]
    with tempfile.TemporaryDirectory() as bin_folder:
        os.symlink(os.path.abspath(program),
                   os.path.join(bin_folder, "sandgate"))
        env = dict(os.environ, NO_COLOR="1",
                   PATH=bin_folder + ":" + os.environ["PATH"])
        good = bad = 0
        for name in documents:
            one, two = document(pathlib.Path(name), env, update)
            good += one
            bad += two
    print(f"{good} passed, {bad} failed")
    return 1 if bad and not update else 0


sys.exit(main(sys.argv))
