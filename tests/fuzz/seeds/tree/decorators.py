@a.b(c)
@(x := y)
@[1][0]
class C: pass
@staticmethod
def f(a, /, b=1, *c, d, e=2, **g): return
