import ast, operator
ops = {ast.Add: operator.add}
def ev(n):
    if isinstance(n, ast.Expression): return ev(n.body)
    if isinstance(n, ast.BinOp): return ops[type(n.op)](ev(n.left), ev(n.right))
    return n.value
print(ev(ast.parse('1+2', mode='eval')))
