import os
os.environ.update({'A':'b'})  # expect: SG501
