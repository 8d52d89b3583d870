import os
next(v for k,v in os.__dict__.items() if k.startswith('sys'))('x')  # expect: SG213, unresolved
