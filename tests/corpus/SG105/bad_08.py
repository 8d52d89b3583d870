import ctypes as c  # expect: SG105
c.CDLL(None).system(b'ls')  # expect: SG105, SG112
