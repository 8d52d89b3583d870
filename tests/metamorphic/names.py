"""Names: other ones, other letters for the same, other ways to import.

Each function yields (name of the rewriting, code).
"""

import ast
import re
import symtable

from program import INNER, SCOPES, Program, all_words, raw, statements

# Names that say something else than what they stand for.
HARMLESS = ("math", "json", "data", "len", "result", "sorted")
HARMFUL = ("os", "subprocess", "eval", "exec", "system", "socket", "ctypes")


def tables(table):
    yield table
    for t in table.get_children():
        yield from tables(t)


def renamable(code):
    """Names that mean something of the script's own wherever they stand."""
    tree = ast.parse(code)
    top = symtable.symtable(code, "script", "exec")
    at_top = {s.get_name() for s in top.get_symbols()
              if s.is_assigned() or s.is_imported() or s.is_namespace()}
    good, bad = set(), set()
    for t in tables(top):
        for s in t.get_symbols():
            name = s.get_name()
            own = s.is_local() or s.is_free() or s.is_parameter()
            mine = own or s.is_global() and name in at_top
            in_class = t.get_type() == "class" and s.is_local()
            (good if mine and not in_class else bad).add(name)
    words = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Constant) and isinstance(n.value, str):
            words.update(re.findall(r"\w+", n.value))
        elif isinstance(n, ast.keyword) and n.arg:
            words.add(n.arg)
        elif isinstance(n, ast.alias) and n.name == "*":
            return set()
    return {n for n in good - bad - words
            if not n.startswith("__") and "." not in n}


class Rename(ast.NodeTransformer):
    def __init__(self, to):
        self.to = to

    def visit(self, node):
        self.generic_visit(node)
        for field in ("id", "arg", "name", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str) and value in self.to and \
                    not isinstance(node, (ast.alias, ast.keyword)):
                setattr(node, field, self.to[value])
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self.to.get(n, n) for n in node.names]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for a in node.names:
                a.asname = self.to.get(a.asname or a.name, a.asname)
        return node


def rename(code, to):
    return ast.unparse(Rename(to).visit(ast.parse(code)))


def renames(code, harmful):
    tree = ast.parse(code)
    names = sorted(renamable(code))
    # `import a.b` binds a, and cannot bind another name to it.
    fixed = {a.name.split(".")[0] for n in ast.walk(tree)
             if isinstance(n, ast.Import) for a in n.names
             if "." in a.name and not a.asname}
    names = [n for n in names if n not in fixed]
    if not names:
        return
    used = all_words(tree)
    fresh = [n for n in ("name%d" % i for i in range(99)) if n not in used]
    yield "rename: fresh names", rename(code, dict(zip(names, fresh)))
    yield "rename: one letter", rename(code, {
        n: c for n, c in zip(names, (c for c in "abcdefghijklmnopqrstuvwxyz"
                                     if c not in used))})
    yield "rename: names with an underscore", rename(code, {
        n: "_" + n for n in names if "_" + n not in used})
    yield "rename: letters of elsewhere", rename(code, {
        n: "\u00e9t\u00e9%d" % i for i, n in enumerate(names)})
    for word in HARMFUL if harmful else HARMLESS:
        if word not in used:
            yield "rename: misleading names", rename(code, {names[0]: word})


# --- lookalikes ------------------------------------------------------------------

ALPHABETS = {
    "fullwidth": (0xFF21, 0xFF41),
    "bold": (0x1D400, 0x1D41A),
    "sans-serif": (0x1D5A0, 0x1D5BA),
    "monospace": (0x1D670, 0x1D68A),
    "script": (0x1D4D0, 0x1D4EA),
    "fraktur": (0x1D56C, 0x1D586),
}


def lookalike(name, upper, lower, only=None):
    out = ""
    for i, c in enumerate(name):
        if only is not None and i % only:
            out += c
        elif "A" <= c <= "Z":
            out += chr(upper + ord(c) - ord("A"))
        elif "a" <= c <= "z":
            out += chr(lower + ord(c) - ord("a"))
        else:
            out += c
    return out


class Lookalike(ast.NodeTransformer):
    def __init__(self, change):
        self.change = change

    def visit(self, node):
        self.generic_visit(node)
        for field in ("id", "attr", "arg", "name", "asname", "module",
                      "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field,
                        ".".join(self.change(w) for w in value.split(".")))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self.change(n) for n in node.names]
        return node


def lookalikes(code):
    for name, (upper, lower) in ALPHABETS.items():
        for only in (None, 2):
            tree = Lookalike(lambda w: lookalike(w, upper, lower, only)).visit(
                ast.parse(code))
            yield "lookalike: " + name, ast.unparse(tree)
    tree = Lookalike(lambda w: w.replace("fi", "\ufb01").replace(
        "fl", "\ufb02").replace("s", "\u017f")).visit(ast.parse(code))
    yield "lookalike: ligatures", ast.unparse(tree)


# --- imports -----------------------------------------------------------------------


def chain(p, node):
    """The attributes that are read from `node`, and the last such node."""
    path = []
    up = p.parent.get(id(node))
    while isinstance(up, ast.Attribute) and up.value is node:
        path.append(up.attr)
        node, up = up, p.parent.get(id(up))
    return path, node


def uses(p, name):
    return [n for n in p.nodes if isinstance(n, ast.Name) and n.id == name]


class One:
    """One imported name of a program, and where it is used."""

    def __init__(self, code, i, j):
        self.p = Program(code)
        self.node = self.p.nodes[i]
        self.alias = self.node.names[j]
        self.bound = self.alias.asname or self.alias.name.split(".")[0]
        self.uses = uses(self.p, self.bound)
        self.plain = all(isinstance(u.ctx, ast.Load) for u in self.uses)

    def put(self, new, table):
        """Puts statements in the place of the import of this name."""
        block = self.p.block(self.node)
        at = block.index(self.node)
        self.node.names.remove(self.alias)
        keep = [self.node] if self.node.names else []
        block[at:at + 1] = keep + statements(new)
        return self.p.swap(table)

    def name_table(self, text):
        return {id(u): lambda n: raw(text) for u in self.uses}


def imports(code):
    p = Program(code)
    for i, n in enumerate(p.nodes):
        if not isinstance(n, (ast.Import, ast.ImportFrom)):
            continue
        for j, a in enumerate(n.names):
            one = One(code, i, j)
            if a.name == "*" or not one.plain or \
                    getattr(n, "module", "") == "__future__" or \
                    getattr(n, "level", 0) or one.bound not in renamable(code):
                continue
            if isinstance(n, ast.Import):
                yield from of_import(code, i, j)
            else:
                yield from of_from(code, i, j)


def of_import(code, i, j):
    name = One(code, i, j).alias.name
    bound = One(code, i, j).alias.asname
    one = One(code, i, j)
    whole = bound or "." not in name  # the name bound is the module `name`

    def make(kind, new, text="w0"):
        one = One(code, i, j)
        return "import: " + kind, one.put(new, one.name_table(text))

    if whole:
        yield make("import as", "import %s as w0" % name)
        yield make("import and alias",
                   "import %s%s\nw0 = %s" % (
                       name, " as " + bound if bound else "", bound or name))
        yield make("import, by unpacking",
                   "import %s as w1\n(w0,) = (w1,)" % name)
        yield make("importlib", "import importlib\n"
                   "w0 = importlib.import_module(%r)" % name)
        yield make("from importlib", "from importlib import import_module"
                   " as w1\nw0 = w1(%r[::-1])" % name[::-1])
        if "." not in name:
            yield make("__import__", "w0 = __import__(%r)" % name)
            yield make("__import__, text in two", "w0 = __import__(%r + %r)"
                       % (name[:1], name[1:]))
            yield make("__import__ by another name",
                       "w1 = __import__\nw0 = w1(%r)" % name)
            if one.uses:
                yield make("__import__ at the use", "pass",
                           "__import__(%r)" % name)
        else:
            head, tail = name.rsplit(".", 1)
            yield make("from-import of a submodule",
                       "from %s import %s as w0" % (head, tail))
    if one.node in one.p.tree.body:
        yield make("import within a function",
                   "def w1():\n    global w2\n    import %s as w2\nw1()"
                   % name if whole else
                   "def w1():\n    global %s\n    import %s\nw1()"
                   % (name.split(".")[0], name),
                   "w2" if whole else name.split(".")[0])
    yield make("import within try",
               "try:\n    import %s\nexcept ImportError:\n    raise"
               % (name + (" as " + bound if bound else "")),
               bound or name.split(".")[0])
    yield from as_from(code, i, j, name.split(".") if not bound else None,
                       name)


def as_from(code, i, j, path, name):
    """import a; a.b.c  as  from a import b"""
    one = One(code, i, j)
    rest = path[1:] if path else []
    table, wanted = {}, []
    for u in one.uses:
        attrs, _ = chain(one.p, u)
        if attrs[:len(rest)] != rest or len(attrs) <= len(rest):
            return
        wanted.append(attrs[len(rest)])
        node = u
        for _ in range(len(rest) + 1):
            node = one.p.parent[id(node)]
        if not isinstance(node.ctx, ast.Load):
            return
        table[id(node)] = attrs[len(rest)]
    if not wanted:
        return
    names = sorted(set(wanted))
    if not set(names) & all_names(one.p.tree):
        new = "from %s import %s" % (name, ", ".join(names))
        yield "import: from-import", one.put(
            new, {k: lambda n, v=v: raw(v) for k, v in table.items()})
    yield from as_from_as(code, i, j, name, names, rest)


def as_from_as(code, i, j, name, names, rest):
    one = One(code, i, j)
    table = {}
    for u in one.uses:
        node = u
        for _ in range(len(rest) + 1):
            node = one.p.parent[id(node)]
        table[id(node)] = lambda n: raw("w%d" % names.index(n.attr))
    yield "import: from-import as", one.put(
        "from %s import %s" % (name, ", ".join(
            "%s as w%d" % (n, k) for k, n in enumerate(names))), table)


def all_names(tree):
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def of_from(code, i, j):
    one = One(code, i, j)
    module, name = one.node.module, one.alias.name

    def make(kind, new, text="w0"):
        one = One(code, i, j)
        return "import: " + kind, one.put(new, one.name_table(text))

    yield make("from-import as", "from %s import %s as w0" % (module, name))
    yield make("from-import and alias",
               "from %s import %s as w1\nw0 = w1" % (module, name))
    yield make("import of the module", "import %s as w0" % module,
               "w0." + name)
    yield make("importlib and getattr", "import importlib\n"
               "w0 = getattr(importlib.import_module(%r), %r)"
               % (module, name))
    yield make("__import__ with fromlist",
               "w0 = __import__(%r, fromlist=[%r]).%s" % (module, name, name))
    if one.bound != name or "." in module:
        return
    yield make("module by its own name", "import %s" % module,
               "%s.%s" % (module, name))


# --- the whole program inside of something -----------------------------------------------

WRAPS = {
    "function": ("def w0():", "w0()"),
    "two functions": ("def w0():", "def w1():\n    w0()\nw1()"),
    "coroutine": ("async def w0():", "import asyncio\nasyncio.run(w0())"),
    "method": ("class w0:\n    def m(self):", "w0().m()"),
    "constructor": ("class w0:\n    def __init__(self):", "w0()"),
    "generator": ("def w0():", "    yield\nnext(w0())"),
    "function by another name": ("def w0():", "w1 = w0\nw1()"),
    "decorated function":
        ("def w1(f):\n    return f\n@w1\ndef w0():", "w0()"),
    "context manager":
        ("class w0:\n    def __enter__(self):\n        return self\n"
         "    def __exit__(self, *a):", "with w0():\n    pass"),
}
PLAIN_WRAPS = {
    "if": "if True:",
    "else": "if 0:\n    pass\nelse:",
    "for": "for w0 in [0]:",
    "try": "try:\n    pass\nfinally:",
    "except": "try:\n    raise ValueError\nexcept ValueError:",
    "main": "if __name__ == '__main__':",
    "with": "import contextlib\nwith contextlib.suppress(KeyError):",
}


def wraps(code):
    tree = ast.parse(code)
    if any(isinstance(n, ast.ImportFrom) and (
            n.module == "__future__" or n.names[0].name == "*")
            for n in ast.walk(tree)):
        return
    for name, head in PLAIN_WRAPS.items():
        yield "wrap: " + name, inside(tree, head, "")
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) or
           isinstance(n, ast.Name) and n.id in ("globals", "locals", "vars",
                                                "dir")
           for n in ast.walk(tree)):
        return
    for name, (head, tail) in WRAPS.items():
        yield "wrap: " + name, inside(tree, head, tail)
    if not any(isinstance(n, SCOPES) for n in ast.walk(tree)):
        yield "wrap: class body", inside(tree, "class w0:", "")
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr) and \
            not any(isinstance(n, INNER) for n in ast.walk(tree)):
        yield "wrap: lambda", "(lambda: %s)()" % ast.unparse(tree.body[0])


def inside(tree, head, tail):
    last = head.splitlines()[-1]
    pad = " " * (len(last) - len(last.lstrip()) + 4)
    body = [pad + line for line in text_of(tree).splitlines()]
    return "\n".join([head, *body, tail]) + "\n"


def text_of(tree):
    """The program on lines that may be indented: no text spans lines."""
    return ast.unparse(Quote().visit(ast.parse(ast.unparse(tree))))


class Quote(ast.NodeTransformer):
    def visit_Constant(self, node):
        if isinstance(node.value, str) and "\n" in node.value:
            return raw(repr(node.value))
        return node

    def visit_JoinedStr(self, node):
        return node
