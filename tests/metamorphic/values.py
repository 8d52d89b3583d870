"""A value takes a detour; the program stays the same.

Each function yields (name of the rewriting, code).
"""

import ast

from program import INNER, Program, bound_names, expression, raw, \
    statements, used_names

# Expressions that are what E is.
DETOURS = {
    "list": "[E][0]",
    "list, from behind": "[None, E][-1]",
    "tuple": "(E, 1)[0]",
    "dict": "{'k': E}['k']",
    "dict get": "{'k': E}.get('k')",
    "dict values": "list({'k': E}.values())[0]",
    "dict()": "dict(k=E)['k']",
    "ternary": "E if True else None",
    "ternary, other side": "None if 0 else E",
    "or": "None or E",
    "and": "1 and E",
    "walrus": "(w0 := E)",
    "starred": "[*[E]][0]",
    "pop": "[E].pop()",
    "slice": "[E][:][0]",
    "sum of lists": "([] + [E])[0]",
    "next": "next(iter([E]))",
    "enumerate": "list(enumerate([E]))[0][1]",
    "reversed": "list(reversed([E]))[0]",
    "argument of a lambda": "(lambda w0: w0)(E)",
    "default of a lambda": "(lambda w0=E: w0)()",
    "comprehension": "[w0 for w0 in [E]][0]",
    "map": "list(map(lambda w0: w0, [E]))[0]",
}
# The same, with E in a scope of its own.
INNER_DETOURS = {
    "lambda": "(lambda: E)()",
    "lambda of lambda": "(lambda: lambda: E)()()",
    "element of a comprehension": "[E for w0 in [0]][0]",
    "generator": "next(E for w0 in [0])",
}
# Statements before the one that needs E, and what it uses instead.
HOISTS = {
    "alias": ("w0 = E", "w0"),
    "alias of alias": ("w1 = E\nw0 = w1", "w0"),
    "two targets": ("w0 = w1 = E", "w1"),
    "annotated": ("w0: object = E", "w0"),
    "unpacking": ("w0, w1 = E, 1", "w0"),
    "starred target": ("*w1, w0 = 1, E", "w0"),
    "list target": ("[w0] = [E]", "w0"),
    "for": ("for w0 in [E]:\n    pass", "w0"),
    "if": ("if True:\n    w0 = E\nelse:\n    w0 = None", "w0"),
    "try": ("try:\n    w0 = E\nfinally:\n    pass", "w0"),
    "match": ("match E:\n    case w0:\n        pass", "w0"),
    "match, sequence": ("match [E]:\n    case [w0]:\n        pass", "w0"),
    "dict item": ("w0 = {}\nw0['k'] = E", "w0['k']"),
    "dict update": ("w0 = {}\nw0.update(k=E)", "w0['k']"),
    "dict setdefault": ("w0 = {}\nw0.setdefault('k', E)", "w0['k']"),
    "append": ("w0 = []\nw0.append(E)", "w0[0]"),
    "extend": ("w0 = []\nw0 += [E]", "w0[0]"),
    "argument": ("def w1(w2):\n    return w2\nw0 = w1(E)", "w0"),
    "keyword argument": ("def w1(*, w2):\n    return w2", "w1(w2=E)"),
    "rest of arguments": ("def w1(*w2):\n    return w2[0]", "w1(E)"),
    "rest of keywords": ("def w1(**w2):\n    return w2['k']", "w1(k=E)"),
    "field": ("class w1:\n    pass\nw0 = w1()\nw0.f = E", "w0.f"),
    "field of self":
        ("class w1:\n    def __init__(self, v):\n        self.f = v",
         "w1(E).f"),
    "static method":
        ("class w1:\n    @staticmethod\n    def m(v):\n        return v",
         "w1.m(E)"),
    "special method":
        ("class w1:\n    def __call__(self, v):\n        return v",
         "w1()(E)"),
}
# The same, with E in a scope of its own.
INNER_HOISTS = {
    "function": ("def w1():\n    return E", "w1()"),
    "function, twice":
        ("def w1():\n    return E\ndef w2():\n    return w1()", "w2()"),
    "generator function": ("def w1():\n    yield E", "next(w1())"),
    "closure":
        ("def w1():\n    w2 = E\n    def w3():\n        return w2\n"
         "    return w3", "w1()()"),
    "default": ("def w1(w2=E):\n    return w2", "w1()"),
    "class attribute": ("class w1:\n    f = [E]", "w1.f[0]"),
    "class attribute, instance": ("class w1:\n    f = [E]", "w1().f[0]"),
    "method":
        ("class w1:\n    def m(self):\n        return E", "w1().m()"),
    "property":
        ("class w1:\n    @property\n    def p(self):\n        return E",
         "w1().p"),
    "item of an object":
        ("class w1:\n    def __getitem__(self, k):\n        return E",
         "w1()[0]"),
    "inherited method":
        ("class w1:\n    def m(self):\n        return E\n"
         "class w2(w1):\n    pass", "w2().m()"),
}
AT_TOP = {
    "global":
        ("def w1():\n    global w0\n    w0 = E\nw1()", "w0"),
    "globals()": ("globals()['w0'] = E", "w0"),
}

VALUES = (ast.Name, ast.Attribute, ast.Call, ast.Constant)


def is_detour_site(p, node):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes)) and len(node.value) > 1
    return not (isinstance(node, ast.Name) and node.id == "super") and \
        not isinstance(p.parent[id(node)], ast.Starred)


def detours(code):
    p = Program(code)
    for site in p.sites(*VALUES):
        node = p.nodes[site]
        if not is_detour_site(p, node):
            continue
        table = dict(DETOURS)
        if p.moves(node):
            table.update(INNER_DETOURS)
        for name, template in table.items():
            q = Program(code)
            yield "value: " + name, q.swap({
                id(q.nodes[site]): lambda n, t=template: expression(t, n)})
    for name in ("list", "dict", "ternary", "or", "starred"):
        q = Program(code)
        yield "value: " + name, q.swap({
            id(q.nodes[s]): lambda n: expression(DETOURS[name], n)
            for s in q.sites(ast.Name, ast.Attribute, ast.Call)
            if is_detour_site(q, q.nodes[s])})


def evaluated_first(p, node, statement):
    """Whether nothing of the statement runs before `node`."""
    for n, up in zip([node, *p.up(node)], p.up(node)):
        if up is statement:
            return isinstance(up, (ast.Expr, ast.Assign, ast.Return))
        if isinstance(up, (ast.Attribute, ast.Subscript)) and n is up.value:
            continue
        if isinstance(up, ast.Call) and (
                n is up.func or up.args and n is up.args[0] and
                isinstance(up.func, ast.Name)):
            continue
        return False
    return False


def can_hoist(p, node):
    st = p.statement(node)
    if isinstance(st, ast.While) or \
            any(isinstance(n, INNER) for n in p.up(node)):
        return False
    if isinstance(node, ast.Call) and not evaluated_first(p, node, st):
        return False
    return not used_names(node) & bound_names(st)


def hoists(code):
    p = Program(code)
    for site in p.sites(*VALUES):
        node = p.nodes[site]
        if not is_detour_site(p, node) or not can_hoist(p, node):
            continue
        table = dict(HOISTS)
        if p.moves(node):
            table.update(INNER_HOISTS)
            if p.statement(node) in p.tree.body:
                table.update(AT_TOP)
        for name, (before, use) in table.items():
            try:
                yield "value: " + name, hoist(code, site, before, use)
            except SyntaxError:
                continue  # a form that this Python does not have


def hoist(code, site, before, use):
    p = Program(code)
    node = p.nodes[site]
    st = p.statement(node)
    block = p.block(st)
    added = statements(before, node)
    p.swap({id(node): lambda n: expression(use, n)})
    at = block.index(st)
    block[at:at] = added
    return p.text()


# --- texts -------------------------------------------------------------------


def halves(s):
    return s[:len(s) // 2], s[len(s) // 2:]


def fields(s):
    return s.replace("{", "{{").replace("}", "}}")


TEXTS = {
    "+": lambda s: "(%r + %r)" % halves(s),
    "+ of all": lambda s: "(" + " + ".join(repr(c) for c in s) + ")",
    "side by side": lambda s: "(%r %r)" % halves(s),
    "join": lambda s: "''.join([%r, %r])" % halves(s),
    "join of all": lambda s: "''.join(%r)" % (tuple(s),),
    "format": lambda s: "'{}{}'.format(%r, %r)" % halves(s),
    "format, by number": lambda s: "'{1}{0}'.format(%r, %r)" % (
        s[len(s) // 2:], s[:len(s) // 2]),
    "format, by name": lambda s: "'{a}{b}'.format(a=%r, b=%r)" % halves(s),
    "%": lambda s: "('%%s%%s' %% (%r, %r))" % halves(s),
    "f-string": lambda s: "f'{(%s)}{(%s)}'" % tuple(
        '"' + "".join("%s" % c for c in h) + '"' for h in halves(s)),
    "reverse": lambda s: "%r[::-1]" % s[::-1],
    "reversed": lambda s: "''.join(reversed(%r))" % s[::-1],
    "slice": lambda s: "%r[2:-1]" % ("ab" + s + "c"),
    "replace": lambda s: "%r.replace('\\x00', '')" % "\0".join(halves(s)),
    "swapcase": lambda s: "%r.swapcase()" % s.swapcase(),
    "strip": lambda s: "%r.strip('!')" % ("!" + s + "!!"),
    "split": lambda s: "%r.split('\\x01')[1]" % ("a\1" + s + "\1b"),
    "chr": lambda s: "''.join(map(chr, %r))" % [ord(c) for c in s],
    "chr +": lambda s: "(chr(%d) + %r)" % (ord(s[0]), s[1:]),
    "comprehension": lambda s:
        "''.join([chr(c - 1) for c in %r])" % [ord(c) + 1 for c in s],
    "bytes": lambda s: "%r.decode()" % s.encode(),
    "bytes()": lambda s: "bytes(%r).decode()" % list(s.encode()),
    "str(bytes)": lambda s: "str(%r, 'utf-8')" % s.encode(),
    "hex": lambda s: "bytes.fromhex(%r).decode()" % s.encode().hex(),
    "base64": lambda s: "__import__('base64').b64decode(%r).decode()" %
        __import__("base64").b64encode(s.encode()),
    "rot13": lambda s: "__import__('codecs').decode(%r, 'rot13')" %
        __import__("codecs").encode(s, "rot13"),
    "str()": lambda s: "str(%r)" % s,
    "*": lambda s: "(%r * 1)" % s,
    "escapes": lambda s: "'" + "".join(
        "\\x%02x" % ord(c) if ord(c) < 256 else c for c in s) + "'",
    "octal escapes": lambda s: "'" + "".join(
        "\\%03o" % ord(c) if ord(c) < 256 else c for c in s) + "'",
    "long string": lambda s: '"""' + s.replace("\\", "\\\\") + '"""',
    "prefix": lambda s: "u" + repr(s),
    "dict item": lambda s: "{1: %r, 2: %r}[2]" % ("x", s),
}
BYTES = {
    "+": lambda s: "(%r + %r)" % halves(s),
    "join": lambda s: "b''.join([%r, %r])" % halves(s),
    "encode": lambda s: "%r.encode()" % s.decode("latin-1"),
    "hex": lambda s: "bytes.fromhex(%r)" % s.hex(),
}


def texts(code):
    p = Program(code)
    for site in p.sites(ast.Constant):
        value = p.nodes[site].value
        table = TEXTS if isinstance(value, str) else BYTES
        if not isinstance(value, (str, bytes)) or len(value) < 2:
            continue
        for name, make in table.items():
            text = make(value)
            if not says(text, value):
                continue
            q = Program(code)
            yield "text: " + name, q.swap({
                id(q.nodes[site]): lambda n, t=text: raw(t)})


def says(text, value):
    """Whether the expression is the text that it stands for."""
    try:
        return eval(text) == value
    except (SyntaxError, ValueError):
        return False


# --- attributes ----------------------------------------------------------------

GETS = {
    "getattr": "getattr(E, {a!r})",
    "getattr with a default": "getattr(E, {a!r}, None)",
    "getattr, text in two": "getattr(E, {h!r} + {t!r})",
    "getattr, reversed text": "getattr(E, {r!r}[::-1])",
    "getattr by another name": "[getattr][0](E, {a!r})",
    "attrgetter": "__import__('operator').attrgetter({a!r})(E)",
    "reduce": "__import__('functools').reduce(getattr, [{a!r}], E)",
}
MODULE_GETS = {
    "__dict__": "E.__dict__[{a!r}]",
    "vars": "vars(E)[{a!r}]",
    "__dict__ get": "E.__dict__.get({a!r})",
    "__getattribute__": "E.__getattribute__({a!r})",
}


def imported_modules(tree):
    out = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Import):
            out.update(a.asname or a.name for a in n.names)
    return out


def attributes(code):
    p = Program(code)
    modules = imported_modules(p.tree)
    for site in p.sites(ast.Attribute):
        node = p.nodes[site]
        table = dict(GETS)
        base = node.value
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) \
                and base.func.id == "super":
            continue
        if isinstance(base, ast.Name) and base.id in modules:
            table.update(MODULE_GETS)
        for name, template in table.items():
            q = Program(code)
            yield "getattr: " + name, q.swap({
                id(q.nodes[site]): lambda n, t=template: get(t, n)})
    q = Program(code)
    yield "getattr: getattr", q.swap({
        id(q.nodes[s]): lambda n: get(GETS["getattr"], n)
        for s in q.sites(ast.Attribute)})
    yield from stores(code)


def get(template, node):
    h, t = halves(node.attr)
    return expression(template.format(a=node.attr, h=h, t=t,
                                      r=node.attr[::-1]), node.value)


def stores(code):
    """a.b = v and del a.b, as calls."""
    p = Program(code)
    for i, n in enumerate(p.nodes):
        if isinstance(n, ast.Assign) and len(n.targets) == 1:
            target, call = n.targets[0], "setattr(E, {a!r}, V)"
        elif isinstance(n, ast.Delete) and len(n.targets) == 1:
            target, call = n.targets[0], "delattr(E, {a!r})"
        else:
            continue
        if not isinstance(target, ast.Attribute):
            continue
        for name, a in (("setattr", call), ("setattr by another name",
                                            "[" + call.replace("(", "][0](",
                                                               1))):
            q = Program(code)
            node = q.nodes[i]
            t = node.targets[0]
            e = expression(a.format(a=t.attr), t.value)
            for v in ast.walk(e):
                if isinstance(v, ast.Call) and len(v.args) == 3:
                    v.args[2] = node.value
            yield "getattr: " + name, q.swap(
                {id(node): lambda _, e=e: ast.Expr(value=e)})
