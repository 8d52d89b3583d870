import os
(a,*b)=[1,os]  # expect: SG217
b[0].system('x')  # expect: SG104
