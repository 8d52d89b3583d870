f() = 1
a + b = 2
(a, 1) = 3
del f()
[a for a in b] = 1
x := 1
