import os
open(os.path.expanduser('~')+'/.bashrc','a')  # expect: SG401, SG402, SG405, SG504
