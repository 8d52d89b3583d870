import os
from types import SimpleNamespace as S
S(o=os).o.system('x')  # expect: SG112, SG217
