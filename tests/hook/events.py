"""Events of coding agents, and what `sandgate hook` must say to each.

    events.py SANDGATE

Every event runs in a folder with the files of FILES.  None of the texts is
executed: the hook only reads.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

BAD = "import os\nos.system('ls')\n"
GOOD = "print(1)\n"
NOTEBOOK = {"cells": [
    {"cell_type": "markdown", "id": "m", "source": "# os.system('ls')"},
    {"cell_type": "code", "id": "a", "source": ["import os\n", "x = 1\n"]},
    {"cell_type": "code", "id": "b", "source": "print(x)"}]}

FILES = {
    "good.py": GOOD,
    "bad.py": BAD,
    "sub/inner.py": GOOD,
    "sub/bad.py": BAD,
    "pkg/__main__.py": BAD,
    "pkg/good.py": GOOD,
    "fine/__main__.py": GOOD,
    "old.py": "import subprocess\nx = 1\n",
    "broken.py": "def f(:\n",
    "tool": "#!/usr/bin/env python3\n" + BAD,
    "nice": "#!/usr/bin/env python3\n" + GOOD,
    "run.sh": "#!/bin/bash\ncd sub\npython3 bad.py\n",
    "good.sh": "#!/bin/bash\npython3 good.py\n",
    "settings": "# python\nx='\n",
    "text.txt": BAD,
    "book.ipynb": json.dumps(NOTEBOOK),
    "with space.py": BAD,
    "data.csv": "a,b\n",
    "dos.py": "import os\r\nx = 1\r\nprint(x)\r\n",
    "quotes.py": "import os\nx = 1  # \u201cone\u201d \u2014 or so\n",
    "deep.py": "import os\nif os:\n    x = 1\n    y = 2\n",
    "twice.py": "import os\ndef a():\n    x = 1\n    return x\n\n\n"
                "def b():\n    x = 1\n    return x\n",
    "cut.py": "import os\nx = 1",
}

cases = []


def case(name, event, blocked, text=""):
    cases.append((name, event, blocked, text))


def tool(name, **given):
    return {"session_id": "s", "cwd": "@", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": name,
            "tool_input": given, "tool_use_id": "t"}


def bash(name, command, blocked, text=""):
    case("bash: " + name, tool("Bash", command=command), blocked, text)


OK, NO = False, True
SG104 = "SG104"

# --- events with all that the agents send ------------------------------------
CLAUDE = {"session_id": "0e1d307e-6b0f-456f-ba52-575446b9d3ac",
          "transcript_path": "@/t.jsonl", "cwd": "@", "prompt_id": "p",
          "permission_mode": "bypassPermissions",
          "effort": {"level": "high"}, "hook_event_name": "PreToolUse",
          "tool_use_id": "toolu_1"}
CODEX = {"session_id": "s", "turn_id": "t", "transcript_path": None,
         "cwd": "@", "hook_event_name": "PreToolUse", "model": "m",
         "permission_mode": "default", "tool_use_id": "call_1"}
GEMINI = {"session_id": "s", "transcript_path": "@/t.json", "cwd": "@",
          "hook_event_name": "BeforeTool",
          "timestamp": "2026-11-30T17:00:00.000Z"}
for agent, shell, more in (
        (CLAUDE, "Bash", {"description": "List", "timeout": 1000,
                          "run_in_background": False}),
        (CODEX, "Bash", {}),
        (GEMINI, "run_shell_command", {"description": "List"})):
    case("as sent: shell, good", dict(agent, tool_name=shell, tool_input=dict(
        more, command="python3 good.py")), OK)
    case("as sent: shell, bad", dict(agent, tool_name=shell, tool_input=dict(
        more, command="python3 bad.py")), NO, SG104)
case("as sent: edit", dict(CLAUDE, tool_name="Edit", tool_input={
    "replace_all": False, "file_path": "@/good.py", "old_string": "1",
    "new_string": "__import__('os').system('ls')"}), NO, "good.py:1:7")
case("as sent: cell", dict(CLAUDE, tool_name="NotebookEdit", tool_input={
    "notebook_path": "@/book.ipynb", "cell_id": "b",
    "new_source": "print(x + 1)"}), OK)
case("as sent: patch", dict(CODEX, tool_name="apply_patch", tool_input={
    "command": "*** Begin Patch\n*** Update File: old.py\n@@\n-x = 1\n"
    "+x = subprocess.run\n*** End Patch"}), NO, "old.py:2:5")
case("as sent: replace", dict(GEMINI, tool_name="replace", tool_input={
    "file_path": "@/old.py", "instruction": "change", "old_string": "x = 1",
    "new_string": "x = subprocess.run"}), NO, "old.py:2:5")

# --- what is no business of the hook -----------------------------------------
case("another tool", tool("Read", file_path="bad.py"), OK)
case("a search", tool("Grep", pattern="os.system", path="."), OK)
case("a page", tool("WebFetch", url="http://x/", prompt="os.system"), OK)
case("a file that is no Python", tool("Write", file_path="a.txt",
                                      content=BAD), OK)
case("an edit that is no Python", tool("Edit", file_path="text.txt",
                                       old_string="ls", new_string="id"), OK)
case("after the fact", dict(tool("Bash", command="python bad.py"),
                            hook_event_name="PostToolUse"), OK)
case("a session begins", {"hook_event_name": "SessionStart"}, OK)
case("a file is read", {"hook_event_name": "beforeReadFile",
                        "file_path": "a.py", "content": BAD}, OK)

# --- events that are none ------------------------------------------------------
case("nothing", "", NO, "cannot be read")
case("no JSON", "hello", NO, "cannot be read")
case("half of one", '{"tool_name": "Bash", ', NO, "cannot be read")
case("a list", "[]", NO, "no JSON object")
case("an empty object", {}, NO, "names no tool")
case("a tool without input", {"tool_name": "Bash"}, NO, "names no tool")
case("an input that is a number", {"tool_name": "Bash", "tool_input": 3}, NO,
     "names no tool")
case("a key twice", '{"tool_name": "Read", "tool_name": "Bash", '
     '"tool_input": {}}', NO, "duplicate")
case("bytes that are no text", b'{"tool_name": "\xff"}', NO, "cannot be read")

# --- files -----------------------------------------------------------------------
case("write: good", tool("Write", file_path="new.py", content=GOOD), OK)
case("write: bad", tool("Write", file_path="new.py", content=BAD), NO, SG104)
case("write: the line", tool("Write", file_path="new.py",
                             content="x = 1\n" + BAD), NO, "new.py:3:1")
case("write: what to do instead", tool("Write", file_path="new.py",
                                       content=BAD), NO, "use Python's own")
case("write: no Python at all", tool("Write", file_path="new.py",
                                     content="def f(:\n"), NO, "syntax.")
case("write: a script by its first line",
     tool("Write", file_path="bin/go", content="#!/usr/bin/python3\n" + BAD),
     NO, SG104)
case("write: over what was as bad", tool("Write", file_path="bad.py",
                                         content="# again\n" + BAD), OK)
case("write: over it, twice", tool("Write", file_path="bad.py",
                                   content=BAD + "os.system('ls')\n"), NO,
     SG104)
case("write: an absolute path", tool("Write", file_path="@/new.py",
                                     content=BAD), NO, SG104)
case("write: no content", tool("Write", file_path="new.py"), OK)
case("edit: good", tool("Edit", file_path="good.py", old_string="print(1)",
                        new_string="print(2)"), OK)
case("edit: bad", tool("Edit", file_path="good.py", old_string="print(1)",
                       new_string=BAD), NO, SG104)
case("edit: bad only together",
     tool("Edit", file_path="old.py", old_string="x = 1",
          new_string="x = subprocess.run"), NO, SG104)
case("edit: what was there before",
     tool("Edit", file_path="old.py", old_string="x = 1",
          new_string="x = 2"), OK)
case("edit: a text that is not there",
     tool("Edit", file_path="good.py", old_string="nowhere",
          new_string="x"), NO, "does not hold")
case("edit: all of them",
     tool("Edit", file_path="good.py", old_string="1",
          new_string="__import__('o' + 's').system('ls')", replace_all=True),
     NO)
case("edit: a file that is broken", tool("Edit", file_path="broken.py",
                                         old_string="def",
                                         new_string="class"), NO, "syntax.")
case("edit: a broken file is mended", tool("Edit", file_path="broken.py",
                                           old_string="(:",
                                           new_string="(): pass"), OK)
case("edit: a new file", tool("Edit", file_path="new.py", old_string="",
                              new_string=BAD), NO, SG104)
case("edits: good", tool("MultiEdit", file_path="good.py", edits=[
    {"old_string": "print", "new_string": "show = print\nshow"},
    {"old_string": "1", "new_string": "2"}]), OK)
case("edits: bad", tool("MultiEdit", file_path="good.py", edits=[
    {"old_string": "print(1)", "new_string": "import o_s"},
    {"old_string": "o_s", "new_string": "subprocess"}]), NO, SG104)

# Editors find more than what is there byte by byte, and so does the hook.
case("edit: line ends of DOS", tool("Edit", file_path="dos.py",
                                    old_string="x = 1\nprint(x)",
                                    new_string="x = 2\nprint(x)"), OK)
case("edit: line ends of DOS, bad",
     tool("Edit", file_path="dos.py", old_string="x = 1\nprint(x)",
          new_string="os.system('ls')\nprint(x)"), NO, "dos.py:2:1: SG104")
case("edit: typographic quotes",
     tool("Edit", file_path="quotes.py", old_string="1  # \"one\" - or so",
          new_string="2"), OK)
case("edit: typographic quotes, bad",
     tool("Edit", file_path="quotes.py", old_string="1  # \"one\" - or so",
          new_string="os.system('ls')"), NO, "quotes.py:2:5: SG104")
case("edit: another indentation",
     tool("replace", file_path="deep.py", old_string="x = 1\ny = 2",
          new_string="if x:\n  x = 3\n\ny = 4"), OK)
case("edit: another indentation, bad",
     tool("replace", file_path="deep.py", old_string="  x = 1 \n  y = 2\n",
          new_string="  if os:\n    os.system('ls')\n"), NO,
     "deep.py:4:7: SG104")
case("edit: all lines alike",
     tool("replace", file_path="twice.py", old_string="x = 1 \n return x\n",
          new_string="return os.system('ls')\n", allow_multiple=True), NO,
     "twice.py:7:12: SG104")
case("edit: lines that are alike but for one",
     tool("replace", file_path="deep.py", old_string="x = 1\ny = 3",
          new_string="z = 1"), NO, "does not hold")
case("edit: blanks alone", tool("replace", file_path="deep.py",
                                old_string=" \n ", new_string="z = 1"), NO,
     "does not hold")
case("edit: more than is looked for",
     tool("Edit", file_path="good.py", old_string="x" * 100000,
          new_string="y"), NO, "does not hold")

# --- notebooks ---------------------------------------------------------------------
case("cell: good", tool("NotebookEdit", notebook_path="book.ipynb",
                        cell_id="b", new_source="print(2)"), OK)
case("cell: bad", tool("NotebookEdit", notebook_path="book.ipynb",
                       cell_id="b", new_source="os.system('ls')"), NO, SG104)
case("cell: the line, as the cell counts",
     tool("NotebookEdit", notebook_path="book.ipynb", cell_id="b",
          new_source="x = 2\nos.system('ls')"), NO,
     "book.ipynb, cell 'b':2:1: SG104")
case("cell: the line behind a magic",
     tool("NotebookEdit", notebook_path="book.ipynb", cell_id="b",
          new_source="%%time\nos.system('ls')"), NO,
     "book.ipynb, cell 'b':2:1: SG104")
case("cell: the line of a cell by its number",
     tool("NotebookEdit", notebook_path="book.ipynb", cell_id="cell-1",
          new_source="import os\nx = os.system('ls')"), NO,
     "book.ipynb, cell 'a':2:5: SG104")
case("cell: the line of a new cell",
     tool("NotebookEdit", notebook_path="book.ipynb", cell_id="a",
          edit_mode="insert", new_source="os.system('ls')"), NO,
     "book.ipynb, the new cell:1:1: SG104")
case("cell: inserted", tool("NotebookEdit", notebook_path="book.ipynb",
                            cell_id="a", edit_mode="insert",
                            new_source="os.system('ls')"), NO, SG104)
case("cell: deleted", tool("NotebookEdit", notebook_path="book.ipynb",
                           cell_id="b", edit_mode="delete", new_source=""),
     OK)
case("cell: text", tool("NotebookEdit", notebook_path="book.ipynb",
                        cell_id="m", cell_type="markdown",
                        new_source="os.system('ls')"), OK)
case("cell: magics", tool("NotebookEdit", notebook_path="book.ipynb",
                          cell_id="b", new_source="%matplotlib inline\n"
                          "%time print(x)\nx?\nprint(x)"), OK)
case("cell: a magic that runs", tool("NotebookEdit",
                                     notebook_path="book.ipynb", cell_id="b",
                                     new_source="%time os.system('ls')"), NO,
     SG104)
case("cell: a shell line", tool("NotebookEdit", notebook_path="book.ipynb",
                                cell_id="b", new_source="!python3 bad.py"),
     NO, SG104)
case("cell: a harmless shell line", tool("NotebookEdit",
                                         notebook_path="book.ipynb",
                                         cell_id="b", new_source="!ls -l"),
     OK)
case("cell: a shell cell", tool("NotebookEdit", notebook_path="book.ipynb",
                                cell_id="b",
                                new_source="%%bash\npython3 bad.py"), NO,
     SG104)
case("cell: a timed cell", tool("NotebookEdit", notebook_path="book.ipynb",
                                cell_id="b",
                                new_source="%%time\nos.system('ls')"), NO,
     SG104)
case("cell: a cell that writes", tool("NotebookEdit",
                                      notebook_path="book.ipynb",
                                      cell_id="b",
                                      new_source="%%writefile z.py\n" + BAD),
     NO, SG104)
case("cell: no such notebook", tool("NotebookEdit",
                                    notebook_path="none.ipynb",
                                    new_source="import subprocess"), NO,
     SG104)
case("notebook: good", tool("Write", file_path="new.ipynb",
                            content=json.dumps(NOTEBOOK)), OK)
case("notebook: bad", tool("Write", file_path="new.ipynb", content=json.dumps(
    {"cells": NOTEBOOK["cells"] + [
        {"cell_type": "code", "source": "os.system('ls')"}]})), NO, SG104)
case("notebook: none", tool("Write", file_path="new.ipynb", content="x"), NO,
     "no notebook")
case("notebook: as a text", tool("Edit", file_path="book.ipynb",
                                 old_string="print(x)",
                                 new_string="os.system('ls')"), NO, SG104)

# --- python -c ------------------------------------------------------------------------
bash("-c", "python -c 'print(1)'", OK)
bash("-c, bad", "python -c 'import os; os.system(\"ls\")'", NO, SG104)
bash("-c in double quotes", 'python -c "import subprocess"', NO, SG104)
bash("-c with escapes", 'python3 -c "print(\\"1\\")"', OK)
bash("-c with a line", "python3 -c 'import os\nos.system(\"ls\")'", NO, SG104)
bash("-c attached", "python3 -c'import subprocess'", NO, SG104)
bash("-c after others", "python3 -u -B -X dev -W ignore -c "
     "'import subprocess'", NO, SG104)
bash("-c together with others", "python3 -Bc 'import subprocess'", NO, SG104)
bash("-c in $''", "python3 -c $'import os\\nos.system(\\'ls\\')'", NO, SG104)
bash("-c of parts", "python3 -c 'import sub''process'", NO, SG104)
bash("-c with a variable", 'python3 -c "print($X)"', NO, "fills in")
bash("-c with a known variable", 'X=1; python3 -c "print($X)"', OK)
bash("-c that is a variable", 'C="import subprocess"; python3 -c "$C"', NO,
     SG104)
bash("-c with a substitution", 'python3 -c "$(cat x)"', NO, "fills in")
bash("-c with arguments", "python3 -c 'print(1)' 'import subprocess'", OK)
bash("-c by path", "/usr/bin/python3.11 -c 'import subprocess'", NO, SG104)
bash("-c by a path with a variable",
     '"$VENV/bin/python" -c "import subprocess"', NO, SG104)
bash("-c of another name", "pypy3 -c 'import subprocess'", NO, SG104)
bash("escaped name", "pyth\\on3 -c 'import subprocess'", NO, SG104)
bash("quoted name", "'python3' -c 'import subprocess'", NO, SG104)
bash("name with a line end in it", "py\\\nthon3 -c 'import subprocess'", NO,
     SG104)
bash("a variable that is the program", "P=python3; $P bad.py", NO, SG104)
bash("a variable that is the command", 'C="python3 bad.py"; $C', NO,
     "only known")
bash("braces that are the command", "{python3,bad.py}", NO, "only known")
bash("a variable that is another program", 'X=1; "$EDITOR" notes.txt', OK)
bash("version", "python3 --version", OK)
bash("help", "python3 -h", OK)
bash("lines that are typed later", "python3", NO, "cannot be known now")
bash("lines that are typed later, by option", "python3 -i good.py", NO,
     "cannot be known now")
bash("lines that are typed later, by module", "python3 -m code", NO,
     "cannot be known now")
bash("lines that are typed into another", "uv run ipython", NO,
     "cannot be known now")
bash("no lines", "python3 </dev/null", OK)
bash("no lines, by option", "python3 -i good.py </dev/null", OK)
bash("lines that are there", "python3 -i <<'EOF'\n" + GOOD + "EOF", OK)
bash("lines that are there, bad", "python3 -i good.py <<'EOF'\n" + BAD +
     "EOF", NO, SG104)
bash("where it is", "command -v python3 || type python; hash python3", OK)
bash("where it is, and more", "command -p python3 bad.py", NO, SG104)

# --- files ---------------------------------------------------------------------------
bash("a file", "python3 good.py", OK)
bash("a bad file", "python3 bad.py", NO, SG104)
bash("a bad file with arguments", "python3 -O bad.py --x 'y z'", NO, SG104)
bash("a file with a blank", "python3 'with space.py'", NO, SG104)
bash("no such file", "python3 nothere.py", NO, "cannot be known")
bash("a variable", 'python3 "$FILE"', NO, "only known")
bash("a known variable", "F=bad.py; python3 $F", NO, SG104)
bash("a wild card", "python3 *.py", NO, "only known")
bash("home", "python3 ~/bad.py", NO, SG104)
bash("$HOME", 'python3 "$HOME/bad.py"', NO, SG104)
bash("an absolute path", "python3 @/bad.py", NO, SG104)
bash("in a folder", "cd sub && python3 bad.py", NO, SG104)
bash("in a folder, good", "cd sub && python3 inner.py", OK)
bash("in a folder that nobody knows", 'cd "$D" && python3 good.py', NO,
     "in which folder")
bash("and back", "(cd sub && ls); python3 good.py", OK)
bash("a folder as a program", "python3 pkg", NO, SG104)
bash("a good folder", "python3 fine", OK)
bash("byte code", "python3 x.pyc", NO, "no source text")
bash("by itself", "./bad.py", NO, SG104)
bash("by its first line", "./tool x", NO, SG104)
bash("by its first line, good", "./nice x", OK)
bash("a module", "python3 -m pkg", NO, SG104)
bash("a module within", "python3 -m pkg.good", OK)
bash("a module of the library", "python3 -m json.tool data.csv", OK)
bash("a module that runs a file", "python3 -m cProfile -s time bad.py", NO,
     SG104)
bash("a module that runs a text", "python3 -m timeit -s 'import subprocess' "
     "'x = 1'", NO, SG104)
bash("tests", "pytest -q sub/bad.py", NO, SG104)
bash("tests by module", "python -m pytest sub/inner.py", OK)
bash("pip", "pip install requests", OK)
bash("python by name only", "which python3; grep python bad.py; ls *.py", OK)

# --- standard input ---------------------------------------------------------------------
bash("here-document", "python3 - <<'EOF'\n" + BAD + "EOF\n", NO, SG104)
bash("here-document, good", "python3 <<EOF\n" + GOOD + "EOF", OK)
bash("here-document with tabs", "python3 - <<-'X'\n\timport subprocess\n\tX",
     NO, SG104)
bash("here-document, then more", "python3 - <<'A' && python3 - <<'B'\nprint(1)"
     "\nA\nimport subprocess\nB\n", NO, SG104)
bash("here-document that is filled in", "python3 <<EOF\nprint($X)\nEOF", NO,
     "cannot be known")
bash("here-document with a quoted dollar", "python3 <<EOF\nprint('\\$X')\nEOF",
     OK)
bash("here-document with quotes in it", "python3 - <<'EOF'\nprint(\"it's\")\n"
     "EOF\npython3 bad.py", NO, SG104)
bash("here-string", "python3 <<< 'import subprocess'", NO, SG104)
bash("from a file", "python3 < bad.py", NO, SG104)
bash("from a file, good", "python3 - < good.py", OK)
bash("by the name of the stream", "python3 /dev/stdin <<'EOF'\n" + BAD +
     "EOF\n", NO, SG104)
bash("settings of a shell", ". ./settings && python3 good.py", OK)
bash("a pipe from echo", "echo 'import subprocess' | python3", NO, SG104)
bash("a pipe from echo -e", "echo -e 'import os\\nos.system(\"ls\")' | "
     "python3 -", NO, SG104)
bash("a pipe from printf", "printf 'import %s\\n' subprocess | python3", NO,
     SG104)
bash("a pipe from cat", "cat bad.py | python3 -", NO, SG104)
bash("a pipe from a document", "cat <<'EOF' | python3\nimport subprocess\n"
     "EOF", NO, SG104)
bash("a pipe over two lines", "cat bad.py |\n  python3", NO, SG104)
bash("a pipe of good", "echo 'print(1)' | python3 -u -", OK)
bash("a pipe from the net", "curl -s http://x/y.py | python3", NO,
     "standard input")
bash("a pipe from a decoder", "echo aW1w | base64 -d | python3", NO,
     "standard input")
bash("a pipe from a group", "{ echo 'import sub'; echo process; } | python3",
     NO, "standard input")
bash("a pipe into a script", "cat data.csv | python3 good.py", OK)
bash("a pipe into a bad script", "cat data.csv | python3 bad.py", NO, SG104)
bash("a pipe from a script", "python3 good.py | head -1", OK)
bash("a process as a file", "python3 <(curl http://x/)", NO)

# --- before the program ------------------------------------------------------------------
bash("an assignment", "X=1 Y=2 python3 bad.py", NO, SG104)
bash("env", "env -u A PYTHONPATH=. python3 bad.py", NO, SG104)
bash("sudo", "sudo -u nobody python3 bad.py", NO, SG104)
bash("timeout", "timeout -k 5 10s python3 bad.py", NO, SG104)
bash("nohup", "nohup nice -n 5 python3 bad.py > log 2>&1 &", NO, SG104)
bash("time", "time python3 bad.py", NO, SG104)
bash("exec", "exec python3 bad.py", NO, SG104)
bash("uv run", "uv run --with numpy python bad.py", NO, SG104)
bash("uv run a file", "uv run --script bad.py", NO, SG104)
bash("uv run -m", "uv run -m pkg", NO, SG104)
bash("uv run, good", "uv run python good.py", OK)
bash("uv run a document", "uv run - <<'EOF'\nimport subprocess\nEOF", NO,
     SG104)
bash("poetry run", "poetry run python -c 'import subprocess'", NO, SG104)
bash("conda run", "conda run -n base python bad.py", NO, SG104)
bash("xargs", "ls | xargs python3", NO, "comes from another")
bash("xargs with code", "ls | xargs -n1 python3 -c 'import subprocess'", NO,
     SG104)
bash("xargs with options", "ls | xargs -P 4 -I {} python3 bad.py {}", NO,
     SG104)
bash("xargs of another", "ls | xargs grep -l python3 -c", OK)
bash("xargs of a shell", "ls | xargs -n 1 sh -c 'python3 bad.py'", NO, SG104)
bash("parallel", "parallel -j 4 python3 bad.py ::: 1 2", NO, SG104)
bash("find by name", "find / -name python3 -type f 2>/dev/null", OK)
bash("find -exec, the second", "find . -exec ls {} \\; -exec python3 bad.py "
     "{} \\;", NO, SG104)
bash("find -exec", "find . -name '*.csv' -exec python3 bad.py {} \\;", NO,
     SG104)

# --- around the program --------------------------------------------------------------------
bash("after &&", "ls && python3 bad.py", NO, SG104)
bash("after ;", "ls; python3 bad.py", NO, SG104)
bash("after a comment", "# python3 nothere.py\nls", OK)
bash("in a loop", "for i in 1 2; do python3 bad.py $i; done", NO, SG104)
bash("in an if", "if [ -e x ]; then python3 bad.py; else ls; fi", NO, SG104)
bash("as the condition", "if python3 bad.py; then ls; fi", NO, SG104)
bash("in a case", "case $x in a) python3 bad.py;; *) ls;; esac", NO, SG104)
bash("in a group", "{ python3 bad.py; }", NO, SG104)
bash("in a subshell", "(python3 bad.py)", NO, SG104)
bash("in a function", "f() { python3 bad.py; }; f", NO, SG104)
bash("in a substitution", "echo $(python3 bad.py)", NO, SG104)
bash("in backquotes", "echo `python3 bad.py`", NO, SG104)
bash("in a substitution in quotes", 'echo "a $(python3 bad.py) b"', NO, SG104)
bash("in a default", 'echo "${x:-$(python3 bad.py)}"', NO, SG104)
bash("in a substitution in a document", "cat <<EOF\n$(python3 bad.py)\nEOF",
     NO, SG104)
bash("not in a quoted document", "cat <<'EOF'\n$(python3 bad.py)\nEOF", OK)
bash("only spoken of", "echo 'python3 bad.py'", OK)
bash("a document that is no Python", "cat > a.txt <<'EOF'\n" + BAD + "EOF",
     OK)
bash("a shell", "bash -c 'python3 bad.py'", NO, SG104)
bash("a shell with options", "bash -euo pipefail -c 'python3 -c \"import "
     "subprocess\"'", NO, SG104)
bash("a shell with the end of its options", "bash -c -- 'python3 bad.py'", NO,
     SG104)
bash("a shell in a shell", "sh -c \"bash -c 'python3 bad.py'\"", NO, SG104)
bash("a shell's document", "bash <<'EOF'\npython3 bad.py\nEOF", NO, SG104)
bash("a shell's pipe", "echo 'python3 bad.py' | sh", NO, SG104)
bash("a shell script", "bash run.sh", NO, SG104)
bash("a shell script by itself", "./run.sh", NO, SG104)
bash("a good shell script", "./good.sh", OK)
bash("a shell script that is read", "source run.sh", NO, SG104)
bash("a shell with a variable", 'bash -c "$CMD"', OK)
bash("a shell with Python and a variable", 'bash -c "python3 $X"', NO)
bash("eval", "eval 'python3 bad.py'", NO, SG104)
bash("an unclosed quote", "python3 -c 'print(1)", NO, "cannot be read")
bash("an unclosed quote without Python", "echo 'x", OK)
bash("an unclosed parenthesis", "(python3 good.py", NO, "cannot be read")
bash("an empty line", "", OK)

# --- files that the line writes -------------------------------------------------------------
bash("cat writes", "cat > new.py <<'EOF'\n" + BAD + "EOF", NO, SG104)
bash("cat writes, good", "cat > new.py <<'EOF'\n" + GOOD + "EOF", OK)
bash("echo writes", "echo 'import subprocess' > new.py", NO, SG104)
bash("echo appends", "echo 'x = 1' >> new.py; echo", OK)
bash("echo appends to what is there", "echo 'import subprocess' >> good.py",
     NO, SG104)
bash("tee writes", "echo 'import subprocess' | tee new.py", NO, SG104)
bash("written and run", "cat > new.py <<'EOF'\n" + GOOD + "EOF\n"
     "python3 new.py", OK)
bash("copied and run", "cp text.txt new.py && python3 new.py", NO,
     "cannot be known")
bash("copied over and run", "cp text.txt good.py && python3 good.py", NO,
     "cannot be known")
bash("fetched and run", "curl -o good.py http://x && python3 good.py", NO,
     "cannot be known")
bash("changed and run", "sed -i s/1/2/ good.py && python3 good.py", NO,
     "cannot be known")
bash("made executable and run", "chmod +x bad.py && ./bad.py", NO, SG104)

# --- other agents ---------------------------------------------------------------------------
case("gemini: shell", {"hook_event_name": "BeforeTool", "cwd": "@",
                       "tool_name": "run_shell_command",
                       "tool_input": {"command": "python3 bad.py"}}, NO,
     SG104)
case("gemini: in a folder", {"hook_event_name": "BeforeTool", "cwd": "@",
                             "tool_name": "run_shell_command", "tool_input": {
                                 "command": "python3 bad.py",
                                 "dir_path": "sub"}}, NO, SG104)
case("gemini: write", {"hook_event_name": "BeforeTool", "cwd": "@",
                       "tool_name": "write_file", "tool_input": {
                           "file_path": "new.py", "content": BAD}}, NO, SG104)
case("gemini: replace", {"hook_event_name": "BeforeTool", "cwd": "@",
                         "tool_name": "replace", "tool_input": {
                             "file_path": "good.py", "old_string": "1",
                             "new_string": "open('/etc/passwd')"}}, NO,
     "SG401")
case("codex: words", tool("shell", command=["bash", "-lc",
                                            "python3 bad.py"]), NO, SG104)
case("codex: words, good", tool("shell", command=["python3", "good.py"]), OK)
case("codex: patch adds", tool("apply_patch", command="*** Begin Patch\n"
                               "*** Add File: new.py\n+import subprocess\n"
                               "*** End Patch"), NO, SG104)
case("codex: patch changes", tool("apply_patch", command="*** Begin Patch\n"
                                  "*** Update File: good.py\n@@\n-print(1)\n"
                                  "+import subprocess\n*** End Patch"), NO,
     SG104)
case("codex: patch, good", tool("apply_patch", command="*** Begin Patch\n"
                                "*** Update File: good.py\n@@\n-print(1)\n"
                                "+print(2)\n*** Delete File: bad.py\n"
                                "*** End Patch"), OK)
case("codex: patch that does not fit",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: good.py\n"
          "@@\n-nowhere\n+x\n*** End Patch"), NO, "does not fit")
case("codex: patch of a file without a last line end",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: cut.py\n"
          "@@\n-x = 1\n+x = 2\n*** End of File\n*** End Patch"), OK)
case("codex: the same, bad",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: cut.py\n"
          "@@\n-x = 1\n+os.system('ls')\n*** End Patch"), NO,
     "cut.py:2:1: SG104")
case("codex: patch of lines of DOS",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: dos.py\n"
          "@@\n import os\n-x = 1  \n+x = 2\n*** End Patch"), OK)
case("codex: patch behind a line",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: twice.py\n"
          "@@ def b():\n-    x = 1\n+    os.system('ls')\n*** End Patch"),
     NO, "twice.py:8:5: SG104")
case("codex: patch that moves",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: old.py\n"
          "*** Move to: new.py\n@@\n-x = 1\n+x = subprocess.run\n"
          "*** End Patch"), NO, "new.py:2:5: SG104")
case("codex: patch that moves, and does not fit",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: old.py\n"
          "*** Move to: new.py\n@@\n-nowhere\n+x\n*** End Patch"), NO,
     "does not fit 'old.py'")
case("codex: hunks in order",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: twice.py\n"
          "@@\n     x = 1\n-    return x\n+    return 1\n"
          "@@\n     x = 1\n-    return x\n+    return os.system('ls')\n"
          "*** End Patch"), NO, "twice.py:9:12: SG104")
case("codex: hunks out of order",
     tool("apply_patch", command="*** Begin Patch\n*** Update File: twice.py\n"
          "@@ def b():\n-    return x\n+    return 1\n"
          "@@\n-import os\n+import subprocess\n*** End Patch"), NO,
     "twice.py:1:8: SG104")
bash("patch by a shell", "apply_patch <<'EOF'\n*** Begin Patch\n"
     "*** Add File: new.py\n+import subprocess\n*** End Patch\nEOF", NO, SG104)
case("cursor: shell", {"hook_event_name": "beforeShellExecution", "cwd": "@",
                       "conversation_id": "c", "command": "python3 bad.py"},
     NO, SG104)
case("cursor: shell, good", {"hook_event_name": "beforeShellExecution",
                             "cwd": "@", "command": "python3 good.py"}, OK)
case("cursor: a prompt", {"hook_event_name": "beforeSubmitPrompt",
                          "prompt": BAD}, OK)
case("copilot: arguments as a text",
     {"timestamp": 1, "cwd": "@", "toolName": "bash",
      "toolArgs": json.dumps({"command": "python3 bad.py"})}, NO, SG104)
COPILOT = {"sessionId": "s", "timestamp": 1796061818702, "cwd": "@"}
case("copilot: shell", dict(COPILOT, toolName="bash", toolArgs={
    "command": "python3 bad.py", "description": "x", "mode": "async"}), NO,
     SG104)
case("copilot: shell, good", dict(COPILOT, toolName="bash", toolArgs={
    "command": "python3 good.py", "description": "x"}), OK)
case("copilot: create", dict(COPILOT, toolName="create", toolArgs={
    "path": "@/new.py", "file_text": BAD}), NO, "new.py:2:1")
case("copilot: edit", dict(COPILOT, toolName="edit", toolArgs={
    "path": "@/old.py", "old_str": "x = 1", "new_str": "x = subprocess.run"}),
     NO, "old.py:2:5")
case("copilot: a command line that cannot be read", dict(
    COPILOT, toolName="bash", toolArgs={"command": "python3 -c 'x"}), NO,
     "cannot be read")
case("windsurf: command", {"agent_action_name": "pre_run_command",
                           "tool_info": {"command_line": "python3 bad.py",
                                         "cwd": "@"}}, NO, SG104)
case("windsurf: write", {"agent_action_name": "pre_write_code",
                         "tool_info": {"file_path": "new.py", "edits": [
                             {"old_string": "", "new_string": BAD}]}}, NO,
     SG104)
case("an editor that creates", tool("str_replace_based_edit_tool",
                                    command="create", path="new.py",
                                    file_text=BAD), NO, SG104)
case("an editor that replaces", tool("str_replace_editor",
                                     command="str_replace", path="good.py",
                                     old_str="print(1)", new_str=BAD), NO,
     SG104)
case("an editor that looks", tool("str_replace_editor", command="view",
                                  path="bad.py"), OK)
case("a tool that takes code", tool("mcp__x__run_python", code=BAD), NO,
     SG104)
case("a tool that takes a language", tool("execute", language="python",
                                          code=BAD), NO, SG104)
case("another language", tool("execute", language="ruby", code=BAD), OK)
case("a path beside the command", tool("Bash", command="python3 bad.py",
                                       path="x"), NO, SG104)
case("two commands", tool("Bash", command="ls", cmd="python3 bad.py"), NO,
     SG104)


def run(sandgate, event, folder, *args):
    if not isinstance(event, (str, bytes)):
        event = json.dumps(event)
    if isinstance(event, str):
        event = re.sub("(?<!@)@(?!@)", folder, event).encode()
    env = dict(os.environ, HOME=folder)
    env.pop("SANDGATE_AUDIT", None)
    return subprocess.run([sandgate, "hook", *args], input=event, cwd="/",
                          env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=60)


def answered(event, blocked, done):
    """Copilot shows its model what stands here, and nobody else may see it."""
    if not (blocked and isinstance(event, dict) and "toolArgs" in event):
        return done.stdout == b""
    return json.loads(done.stdout) == {
        "permissionDecision": "deny",
        "permissionDecisionReason": done.stderr.decode()}


def check_case(sandgate, folder, name, event, blocked, text):
    done = run(sandgate, event, folder)
    said = done.stderr.decode("utf-8", "replace")
    good = (done.returncode == (2 if blocked else 0) and
            answered(event, blocked, done) and
            (text in said) and bool(said) == blocked)
    if not good:
        print("not ok - %s: %d %s" % (name, done.returncode, said[:300]))
    return good


def check_options(sandgate, folder):
    """Options, records and settings."""
    bad = tool("Bash", command="python3 bad.py")
    good = tool("Bash", command="python3 good.py")
    log = os.path.join(folder, "log")
    yield "annotates only", run(sandgate, bad, folder, "--policy",
                                "audit").returncode == 0
    yield "another policy", run(sandgate, tool(
        "Bash", command="python3 -c 'import pathlib'"), folder, "--policy",
        "strict").returncode == 2
    yield "no such policy", run(sandgate, good, folder, "--policy",
                                "nosuch").returncode == 2
    yield "no policy is needed for nothing", run(
        sandgate, tool("Bash", command="ls"), folder, "--policy",
        "nosuch").returncode == 0
    yield "a record", run(sandgate, bad, folder, "--audit",
                          log).returncode == 2
    yield "of each", run(sandgate, good, folder, "--audit",
                         log).returncode == 0
    with open(log, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    yield "two records", [v["decision"] for v in lines
                          if v.get("event") == "verdict"] == ["reject", "pass"]
    yield "that verify", subprocess.run(
        [sandgate, "audit", "verify", log], stdout=subprocess.DEVNULL,
        check=False).returncode == 0
    yield "a log that cannot be written", run(
        sandgate, good, folder, "--audit", "/nowhere/log").returncode == 2
    yield "an argument", run(sandgate, good, folder, "x").returncode == 2
    for agent, event in (("claude", "PreToolUse"), ("codex", "PreToolUse"),
                         ("gemini", "BeforeTool"), ("copilot", "preToolUse"),
                         ("cursor", "beforeShellExecution")):
        done = run(sandgate, "", folder, "--print-config", agent, "--policy",
                   "it's.yaml", "--audit-max", "1M")
        hooks = json.loads(done.stdout)["hooks"] if not done.returncode else {}
        command = hooks.get(event, [{}])[0]
        command = command.get("hooks", [command])[0]
        command = command.get("command", command.get("bash"))
        yield "settings of %s: from anywhere" % agent, command == (
            os.path.realpath(sandgate) + " hook --policy '/it'\\''s.yaml'"
            " --audit-max 1048576")
        done = run(sandgate, "", folder, "--print-config", agent, "--policy",
                   "audit", "--audit", log)
        hooks = json.loads(done.stdout)["hooks"]
        command = hooks[event][0]
        command = command.get("hooks", [command])[0]
        command = command.get("command", command.get("bash"))
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, input=json.dumps(tool(
                "Bash", command="python3 bad.py")).replace("@", folder),
            universal_newlines=True, stderr=subprocess.PIPE, check=False)
        yield "settings of %s: the command works" % agent, (
            done.returncode == 0 and done.stderr == "")
    yield "settings of nobody", run(sandgate, "", folder, "--print-config",
                                    "x").returncode == 2


def main():
    sandgate = sys.argv[1]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        for row in cases:
            good = check_case(sandgate, folder, *row)
            passed += good
            failed += not good
        for name, good in check_options(sandgate, folder):
            if not good:
                print("not ok - options: " + name)
            passed += good
            failed += not good
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
