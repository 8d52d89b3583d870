import os
print(os.path.exists('/root/.ssh/id_rsa'))  # expect: SG401, SG402
