import subprocess as s  # expect: SG104
s.run(['ls'])  # expect: SG104
