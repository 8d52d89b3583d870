import numpy as np
np.os.system('x')  # expect: SG112, SG216
