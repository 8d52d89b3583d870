import os
vars(os)['system']('x')  # expect: SG104
