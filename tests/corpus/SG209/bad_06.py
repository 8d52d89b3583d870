"{!r:{0.__class__}}".format(0)  # expect: SG209
