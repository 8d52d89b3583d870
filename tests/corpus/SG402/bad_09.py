import os
p=os.path.join('/etc','passwd')  # expect: SG402
print(open(p).read())  # expect: SG401
