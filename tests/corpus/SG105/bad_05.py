from ctypes import cdll  # expect: SG105
