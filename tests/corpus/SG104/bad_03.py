from os import popen  # expect: SG104
popen('ls')  # expect: SG104
