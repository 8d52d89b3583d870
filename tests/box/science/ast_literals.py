"""Literals read with ast, and expressions computed from their tree."""
import ast
import operator

for text in ("[1, 2.5, -3]", "{'a': (True, None), 'b': {1, 2} - set()}", "{'k': b'x', 1: {2, 3}}", "1 + 2j", "'a' 'b'", "__name__", "1 + 1"):
    try:
        print(ast.literal_eval(text))
    except (ValueError, SyntaxError) as error:
        print(type(error).__name__, text)

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow, ast.USub: operator.neg, ast.Mod: operator.mod}


def compute(node, names):
    if isinstance(node, ast.Expression):
        return compute(node.body, names)
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](compute(node.left, names), compute(node.right, names))
    if isinstance(node, ast.UnaryOp):
        return OPERATORS[type(node.op)](compute(node.operand, names))
    raise ValueError(type(node).__name__)


for text in ("2 * (3 + x) ** 2", "-x % 7", "x / 0", "len(x)"):
    try:
        print(compute(ast.parse(text, mode="eval"), {"x": 4}))
    except (ValueError, ArithmeticError) as error:
        print(type(error).__name__)


class Names(ast.NodeVisitor):
    def __init__(self):
        self.stored, self.loaded = set(), set()

    def visit_Name(self, node):
        (self.stored if isinstance(node.ctx, ast.Store) else self.loaded).add(node.id)


names = Names()
names.visit(ast.parse("a = b + c\nfor d in a: print(d)"))
print(sorted(names.stored), sorted(names.loaded))


class Double(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(node.value * 2), node)


print(ast.unparse(Double().visit(ast.parse("x = [1, 2, 'ab']"))), ast.dump(ast.parse("a.b", mode="eval")))
