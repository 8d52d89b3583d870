import os
def f(): return os  # expect: SG217
f().system('x')  # expect: SG104
