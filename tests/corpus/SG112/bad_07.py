import os
from collections import namedtuple
T=namedtuple('T','o'); T(os).o.system('x')  # expect: SG112, SG217
