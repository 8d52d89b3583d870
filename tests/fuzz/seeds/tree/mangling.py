class C:
 def f(self): self.__x = 1; __y = 2
 _C__z = 3
