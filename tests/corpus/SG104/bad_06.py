from subprocess import *  # expect: SG104
run(['ls'])  # expect: SG104
