from shutil import rmtree  # expect: SG403
rmtree('a')  # expect: SG403
