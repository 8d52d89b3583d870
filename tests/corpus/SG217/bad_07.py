import os
x = os if input() else None  # expect: SG217
x.system('x')  # expect: SG104
