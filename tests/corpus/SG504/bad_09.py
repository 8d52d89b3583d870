import os
home = os.path.expanduser("~")  # expect: SG405
with open(os.path.join(home, ".bashrc"), "a") as f: f.write("x")  # expect: SG401, SG402, SG504
