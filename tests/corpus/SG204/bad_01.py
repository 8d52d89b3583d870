from builtins import *  # expect: SG204
eval("1")  # expect: SG101
