import dill  # expect: SG106
dill.loads(b'')  # expect: SG106
