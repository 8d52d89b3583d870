import numpy as np
np.frompyfunc(eval,1,1)  # expect: SG101
