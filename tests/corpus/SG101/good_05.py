import ast
t = ast.parse('1+1', mode='eval')
class V(ast.NodeVisitor):
    def visit_BinOp(self, n): print(type(n.op).__name__); self.generic_visit(n)
V().visit(t); print(ast.dump(t), ast.literal_eval('{"a":1}'))
