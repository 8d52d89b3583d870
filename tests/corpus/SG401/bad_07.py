import os
print(os.listdir('/home'))  # expect: SG401
