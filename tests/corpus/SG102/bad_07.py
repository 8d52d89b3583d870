import os
with open('x') as f, __import__('contextlib').nullcontext(os) as o: o.system('x')  # expect: SG102, SG104, SG217
