import os
os.setuid(0)  # expect: SG503
