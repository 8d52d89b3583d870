import os
class A:
 x = os
 def __init__(self): self.y = os
 def __getattr__(self, n): return os
A().y.system('x')
A.x.popen('y')
class B(A): __slots__ = ('z',)
B().w
