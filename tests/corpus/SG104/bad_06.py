from os import *
popen("ls")  # expect: SG104
