import os
os.environ.get('HOME')  # expect: SG501
