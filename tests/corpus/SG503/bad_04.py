import os
os.nice(5)  # expect: SG503
