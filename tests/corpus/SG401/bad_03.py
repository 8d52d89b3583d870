import shutil
shutil.rmtree('/')  # expect: SG401, SG403
