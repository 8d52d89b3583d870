import os
os.setsid(); os.umask(0)  # expect: SG404, SG503
