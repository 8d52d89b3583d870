import numpy as np
np.vectorize(eval)(['1'])  # expect: SG101
