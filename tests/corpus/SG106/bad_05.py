import marshal  # expect: SG106
marshal.loads(b'')  # expect: SG106
