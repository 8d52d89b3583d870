import os
for n in ['/etc/a','/etc/b']:  # expect: SG402
    os.unlink(n)  # expect: SG401
