import os
e = print
e = os.system
for i in [os]: i.system('x')
if 0: os = None
