import pickle as p
p._loads(b'')  # expect: SG106
