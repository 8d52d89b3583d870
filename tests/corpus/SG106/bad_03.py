from yaml import load, Loader  # expect: SG106
load('x', Loader=Loader)  # expect: SG106, SG108
