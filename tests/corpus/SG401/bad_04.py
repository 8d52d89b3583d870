import numpy as np
np.loadtxt("/etc/passwd", dtype=str)  # expect: SG401, SG402
