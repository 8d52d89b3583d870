def f(a, a): pass
f(a=1, a=2)
