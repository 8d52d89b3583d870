import os
delattr(os,'x')  # expect: SG215
os.__dict__.get('system')('x')  # expect: SG104, SG215
