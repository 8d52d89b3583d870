"{0.__class__.__base__}".format(0)  # expect: SG209
