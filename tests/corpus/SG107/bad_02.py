import numpy as np
np.load('x',allow_pickle=True)  # expect: SG107
