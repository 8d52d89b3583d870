import os
d={'k':os.system}  # expect: SG104
d['k']('ls')  # expect: SG104
