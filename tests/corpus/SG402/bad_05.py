import os
os.rename('/etc/a','/etc/b')  # expect: SG401, SG402
