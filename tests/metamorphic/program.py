"""A Python program as a tree whose nodes can be swapped.

A site is the number of a node in the order of ast.walk().  Each variant
starts from a fresh tree, so that no rewriting sees another one's work.
"""

import ast

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
          ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp,
         ast.GeneratorExp)
# Builtins that look at the scope they are called in.
SCOPED_CALLS = {"super", "locals", "vars", "dir"}


class Swap(ast.NodeTransformer):
    """Puts other nodes in the place of some."""

    def __init__(self, table):
        self.table = table

    def visit(self, node):
        node = self.generic_visit(node)
        make = self.table.get(id(node))
        return make(node) if make else node


class Fill(ast.NodeTransformer):
    """Puts an expression in the place of each name E of a template."""

    def __init__(self, expr):
        self.expr = expr

    def visit_Name(self, node):
        return self.expr if node.id == "E" else node


def expression(template, expr=None):
    tree = ast.parse(template, mode="eval").body
    return tree if expr is None else Fill(expr).visit(tree)


def statements(template, expr=None):
    tree = ast.parse(template)
    return (tree if expr is None else Fill(expr).visit(tree)).body


def raw(text):
    """An expression that is written as `text`, whatever that is."""
    return ast.Name(id=text, ctx=ast.Load())


def bound_names(tree):
    """What is bound anywhere below `tree`, whatever the scope."""
    out = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            out.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef,
                            ast.ClassDef)):
            out.add(n.name)
        elif isinstance(n, ast.arg):
            out.add(n.arg)
        elif isinstance(n, ast.alias):
            out.add((n.asname or n.name).split(".")[0])
        elif isinstance(n, ast.ExceptHandler) and n.name:
            out.add(n.name)
        elif type(n).__name__ in ("MatchAs", "MatchStar") and n.name:
            out.add(n.name)
        elif type(n).__name__ == "MatchMapping" and n.rest:
            out.add(n.rest)
    return out


def used_names(tree):
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def all_words(tree):
    """Every identifier of the program, also of attributes and keywords."""
    out = bound_names(tree) | used_names(tree)
    for n in ast.walk(tree):
        if isinstance(n, ast.Attribute):
            out.add(n.attr)
        elif isinstance(n, ast.keyword) and n.arg:
            out.add(n.arg)
        elif isinstance(n, ast.alias):
            out.update(n.name.split("."))
        elif isinstance(n, ast.ImportFrom) and n.module:
            out.update(n.module.split("."))
    return out


class Program:
    def __init__(self, code):
        self.code = code
        self.tree = ast.parse(code)
        self.nodes = list(ast.walk(self.tree))
        self.parent = {}
        self.field = {}
        for n in self.nodes:
            for name, value in ast.iter_fields(n):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.parent[id(child)] = n
                        self.field[id(child)] = name

    def up(self, node):
        """The nodes around `node`, innermost first."""
        node = self.parent.get(id(node))
        while node is not None:
            yield node
            node = self.parent.get(id(node))

    def statement(self, node):
        return next(n for n in self.up(node) if isinstance(n, ast.stmt))

    def is_value(self, node):
        """An expression that is read, for which another may stand."""
        if not isinstance(node, ast.expr) or \
                not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return False
        for n, up in zip([node, *self.up(node)], self.up(node)):
            kind = type(up).__name__
            if kind in ("JoinedStr", "FormattedValue") or \
                    kind.startswith("Match") and kind != "Match" or \
                    self.field[id(n)] in ("annotation", "returns"):
                return False
        up = self.parent[id(node)]
        return not (isinstance(up, ast.Expr) and
                    isinstance(node, ast.Constant))

    def moves(self, node):
        """Whether `node` means the same in a function made around it."""
        for n in ast.walk(node):
            if isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await,
                              ast.NamedExpr, ast.Starred)):
                return False
            if isinstance(n, ast.Name) and n.id in SCOPED_CALLS:
                return False
        around = [n for n in self.up(node) if isinstance(n, SCOPES)]
        if around and isinstance(around[0], ast.ClassDef):
            return not used_names(node) & bound_names(around[0])
        return True

    def sites(self, *kinds):
        return [i for i, n in enumerate(self.nodes)
                if isinstance(n, kinds) and self.is_value(n)]

    def block(self, statement):
        """The list of statements that `statement` stands in."""
        up = self.parent[id(statement)]
        for _, value in ast.iter_fields(up):
            if isinstance(value, list) and statement in value:
                return value
        return None

    def swap(self, table):
        Swap(table).visit(self.tree)
        return self.text()

    def text(self):
        return ast.unparse(ast.fix_missing_locations(self.tree))
