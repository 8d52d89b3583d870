import os
d={'k':os.popen}  # expect: SG104
list(d.values())[0]('ls')  # expect: SG104
