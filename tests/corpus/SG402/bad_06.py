import os
f=os.path.expanduser('~/.bashrc')  # expect: SG402, SG405, SG504
