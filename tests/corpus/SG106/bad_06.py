from yaml import load, FullLoader  # expect: SG106
load('x', FullLoader)  # expect: SG106, SG108
