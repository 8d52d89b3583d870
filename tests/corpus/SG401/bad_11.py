import os
from pathlib import PurePath

base = PurePath("/tmp/report.txt").parents[1]
with open(f"{base}/etc/hosts") as f:  # expect: SG401, SG402
    print(f.read())
print(os.listdir(os.fspath(base)))  # expect: SG401
