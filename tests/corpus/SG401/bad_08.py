n='passwd'; open(f'/etc/{n}')  # expect: SG401, SG402
