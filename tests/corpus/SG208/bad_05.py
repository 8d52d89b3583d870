import operator
operator.methodcaller('__reduce__')(1)  # expect: SG208
