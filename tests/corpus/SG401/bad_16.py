"""Takes the root of the file system from where the script stands."""
import os
from pathlib import Path

print(open(Path.cwd().anchor + "srv/a").read())  # expect: SG401, SG408
print(open(os.getcwd()[0] + "srv/a").read())  # expect: SG401, SG408

numbers = [44, 112, 113, 117, 44, 109, 98, 110, 102]
name = "".join(chr(n + i % 2) for i, n in enumerate(numbers))
print(open(name).read())  # expect: SG401, SG408
