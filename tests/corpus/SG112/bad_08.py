import pathlib
pathlib._os.system('x')  # expect: SG112, SG216
