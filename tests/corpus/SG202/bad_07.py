def f(): pass
f.__builtins__  # expect: SG202, SG204, SG212
