import inspect
def f(x: 'int'): pass
print(inspect.signature(f, eval_str=True))  # expect: SG119
