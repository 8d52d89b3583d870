from pickle import loads as l  # expect: SG106
l(b'')  # expect: SG106
