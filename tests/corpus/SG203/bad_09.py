"%s" % ().__class__.__mro__  # expect: SG203
