(1).__class__.__bases__[0]  # expect: SG203
