import os
os.system('ls')  # expect: SG104
