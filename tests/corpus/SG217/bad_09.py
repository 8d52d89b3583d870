import os
def g(): yield os  # expect: SG217
for o in g(): o.system('x')  # expect: SG104
