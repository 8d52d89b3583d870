import ctypes  # expect: SG105
ctypes.string_at(0)  # expect: SG105
