p='/etc/{}'.format('passwd'); open(p)  # expect: SG401, SG402
