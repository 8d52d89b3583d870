class A:
    pass
print(A.__mro__[-1].__subclasses__())  # expect: SG203
for b in A.__bases__:
    b.__subclasses__()  # expect: SG203
