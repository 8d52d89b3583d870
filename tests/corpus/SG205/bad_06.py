import sys as s
s.modules.values()  # expect: SG205
