import os
getattr(os,**{})if 0 else os.__dict__['system']('x')  # expect: SG104, SG213, unresolved
