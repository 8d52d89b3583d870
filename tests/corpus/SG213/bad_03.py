import os
[v for k,v in vars(os).items() if k=='system'][0]('x')  # expect: SG213, unresolved
