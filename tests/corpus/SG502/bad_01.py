import this, os
os.abort()  # expect: SG502
