None = 1
True.x
print(True=1)
def f(None): pass
