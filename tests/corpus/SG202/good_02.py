class Meta(type):
    def __new__(m, n, b, d): return super().__new__(m, n, b, d)
class A(metaclass=Meta): pass
print(A.__name__, A.__module__, A.__doc__)
