import _ctypes  # expect: SG105
