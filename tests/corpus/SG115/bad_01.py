import timeit as t
print(t.repeat('f()', 'f = print'))  # expect: SG115
