import os
os.kill(os.getppid(),9)  # expect: SG502, SG506
