import os
print([getattr(os,n) for n in dir(os) if n.startswith('sys')][0]('x'))  # expect: SG213, unresolved
