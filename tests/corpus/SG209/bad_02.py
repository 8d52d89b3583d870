print("{a.__init__.__globals__[x]}".format(a=print))  # expect: SG209
