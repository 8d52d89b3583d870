p='/et'+'c/pas'+'swd'  # expect: SG402
with open(p) as f: print(f.read())  # expect: SG401
