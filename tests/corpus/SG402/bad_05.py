import sys
p = sys.argv[1] if len(sys.argv)>1 else '/etc/passwd'  # expect: SG402
open(p)  # expect: SG401, SG408
