import os
l=[]; l.append(os); l.pop().system('x')  # expect: SG104, SG217
