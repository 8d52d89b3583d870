import os
for m in (os,): m.system('x')  # expect: SG104, SG217
