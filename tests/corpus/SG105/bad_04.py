import ctypes  # expect: SG105
ctypes.CDLL("libc.so.6").system(b"x")  # expect: SG105, SG112
