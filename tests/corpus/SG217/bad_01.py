import os
class C:
    def __init__(s): s.o = os  # expect: SG217
C().o.system('x')  # expect: SG104
