def f():
 x = yield
 y = yield a, b
 z = yield from c
 await d
