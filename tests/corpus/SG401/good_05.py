import os
print(os.urandom(4), os.path.exists('a'), os.path.isfile('a'), os.path.relpath('a'), os.path.abspath('.'))
for root, dirs, files in os.walk('.'):
    for f in files: print(os.path.join(root, f))
