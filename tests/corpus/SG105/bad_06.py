ctypes = __import__('ctypes'); ctypes.memset(0,0,1)  # expect: SG102, SG105
