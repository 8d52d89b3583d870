import os
def f(x): return x
def g(a, *b, **c): return f(a)
g(os).system('x')
f(f)(f)(os.popen)('y')
