(1).__reduce_ex__(2)
[].__reduce_ex__(4)[0].__builtins__  # expect: SG202, SG204, SG212
