import os
os.open('/etc/passwd', os.O_RDONLY)  # expect: SG401, SG402
