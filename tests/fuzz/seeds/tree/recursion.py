def f(x): return g(x)
def g(x): return f(x)
f(f)
a = [a]
a.append(a)
b = b.c
x = lambda: x
x = x()
