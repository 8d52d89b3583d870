"{a[0].__class__.__mro__}".format(a=[1])  # expect: SG209
