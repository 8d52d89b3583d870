"""The same program on the page in another way: its tree stays equal.

Each function yields (name of the rewriting, code).
"""

import ast
import io
import tokenize

from program import Program, raw

SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return,
          ast.Delete, ast.Raise, ast.Import, ast.ImportFrom, ast.Global,
          ast.Nonlocal, ast.Pass, ast.Break, ast.Continue, ast.Assert)
SKIPPED = (tokenize.ENCODING, tokenize.INDENT, tokenize.DEDENT,
           tokenize.ENDMARKER)


def tokens(code):
    return [t for t in tokenize.generate_tokens(io.StringIO(code).readline)
            if t.type not in SKIPPED]


def gaps(code, between, inside=None, at_end="", at_start=""):
    """`code` with texts put between its tokens.

    between: between two tokens of a line; inside: the same within brackets;
    at_end: before each line end; at_start: before each statement.
    """
    lines = code.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(place):
        return starts[place[0] - 1] + place[1]

    out, at, depth, fresh = [], 0, 0, True
    for t in tokens(code):
        start, end = offset(t.start), offset(t.end)
        blank = code[at:start]
        if t.type == tokenize.NEWLINE:
            out += [blank, at_end, code[start:end]]
            fresh = True
        elif t.type in (tokenize.NL, tokenize.COMMENT):
            out += [blank, code[start:end]]
        elif fresh:
            pad = t.line[:t.start[1]] if at_start else ""
            out += [at_start, blank if not at_start else pad,
                    code[start:end]]
            fresh = False
        else:
            put = between if depth == 0 or inside is None else inside
            out += [blank, put, code[start:end]]
        if t.type == tokenize.OP:
            depth += t.string in "([{"
            depth -= t.string in ")]}"
        at = end
    return "".join(out) + code[at:]


def layouts(code):
    """Also for what is about the text itself: every character stays."""
    if not code.endswith("\n"):
        code += "\n"
    yield "layout: CRLF", code.replace("\n", "\r\n")
    yield "layout: CR", code.replace("\n", "\r")
    yield "layout: mixed line ends", mixed(code)
    yield "layout: byte order mark", "\ufeff" + code
    yield "layout: byte order mark, CRLF", "\ufeff" + code.replace(
        "\n", "\r\n")
    yield "layout: encoding", "# -*- coding: utf-8 -*-\n" + code
    yield "layout: first line", "#!/usr/bin/env python3\n" + code
    yield "layout: blank lines", gaps(code, "", at_start="\n  \n\t\n\n")
    yield "layout: no last line end", code.rstrip("\n")
    yield "layout: form feeds", "\f\n" + gaps(code, "", at_start="\n\f\n")
    yield "layout: blanks at line ends", gaps(code, "", at_end=" \t ")
    yield "layout: comments", gaps(
        code, "", at_end="  # note", at_start="# it's \"\"\" a note (\n")
    yield "layout: continuations", gaps(code, " \\\n")
    yield "layout: continuations, CRLF", gaps(code, " \\\n").replace(
        "\n", "\r\n")
    yield "layout: lines in brackets", gaps(code, "", "\n")
    yield "layout: comments in brackets", gaps(code, "", " # don't ( ' \\\n")
    yield "layout: blanks", gaps(code, " ")
    yield "layout: tabs", gaps(code, " \t")
    yield "layout: form feeds between", gaps(code, " \f")
    yield "layout: narrow indentation", indented(code, " ")
    yield "layout: tab indentation", indented(code, "\t")


def mixed(code):
    ends = ("\n", "\r\n", "\r")
    return "".join(line + ends[i % 3]
                   for i, line in enumerate(code.split("\n")[:-1]))


def indented(code, by):
    """Lines with `by` for four blanks."""
    out = []
    for line in code.splitlines(keepends=True):
        body = line.lstrip(" ")
        width = len(line) - len(body)
        out.append(by * (width // 4) + " " * (width % 4) + body)
    return "".join(out)


def reforms(code):
    """What ast.unparse() writes, and other marks that mean nothing."""
    yield "reform: unparse", ast.unparse(ast.parse(code))
    for name, template in (("parentheses", "({})"),
                           ("more parentheses", "(((\n{}\n)))")):
        p = Program(code)
        yield "reform: " + name, p.swap({
            id(p.nodes[s]): lambda n, t=template: raw(
                t.format(ast.unparse(n)))
            for s in p.sites(ast.expr)
            if not isinstance(p.nodes[s], (ast.Starred, ast.Slice))})
    yield "reform: semicolons", semicolons(ast.unparse(ast.parse(code)))
    yield "reform: semicolons at the end", gaps(
        code + "\n", "", at_end=";") if all(
            isinstance(n, SIMPLE) for n in ast.parse(code).body) else code
    yield "reform: commas", code.replace(")", ",)")


def semicolons(code):
    """Statements on the line of the one before where Python allows it."""
    lines = code.splitlines()
    joined = {}
    for n in ast.walk(ast.parse(code)):
        for _, block in ast.iter_fields(n):
            if not isinstance(block, list) or not block or \
                    not isinstance(block[0], ast.stmt):
                continue
            for a, b in zip(block, block[1:]):
                if isinstance(a, SIMPLE) and isinstance(b, SIMPLE) and \
                        a.end_lineno + 1 == b.lineno:
                    joined[b.lineno] = "; "
            if not isinstance(n, ast.Module) and \
                    all(isinstance(s, SIMPLE) for s in block) and \
                    lines[block[0].lineno - 2].endswith(":") and \
                    all(s.lineno == block[0].lineno + i
                        for i, s in enumerate(block)):
                joined[block[0].lineno] = " "
    out = []
    for number, line in enumerate(lines, 1):
        if number in joined:
            out[-1] += joined[number] + line.lstrip()
        else:
            out.append(line)
    return "\n".join(out) + "\n"
