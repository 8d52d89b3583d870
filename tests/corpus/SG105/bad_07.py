import ctypes.util  # expect: SG105
ctypes.util.find_library('c')  # expect: SG104, SG105
