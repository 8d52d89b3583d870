from ctypes import *  # expect: SG105
cdll.LoadLibrary("libc.so.6")  # expect: SG105
