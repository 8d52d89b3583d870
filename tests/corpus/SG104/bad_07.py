import os
[f for f in [os.system]][0]('ls')  # expect: SG104
