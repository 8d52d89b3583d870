import os
for f in os.listdir('.'): print(f)
