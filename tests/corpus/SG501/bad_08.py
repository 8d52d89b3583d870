import os
os.putenv('LD_PRELOAD','x')  # expect: SG501
