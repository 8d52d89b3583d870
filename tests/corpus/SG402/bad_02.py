p='/'.join(['','etc','passwd']); open(p)  # expect: SG401, SG402
