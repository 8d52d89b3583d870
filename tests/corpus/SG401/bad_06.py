import glob
for f in glob.glob('/etc/*'): print(f)  # expect: SG401, SG402
