import os
a,b=1,os  # expect: SG217
b.system('x')  # expect: SG104
