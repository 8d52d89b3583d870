from io import open as o
o('/etc/passwd')  # expect: SG401, SG402
