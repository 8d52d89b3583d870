import os
print(os.listdir('/'))  # expect: SG401
