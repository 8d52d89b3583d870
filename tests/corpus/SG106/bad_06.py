import shelve  # expect: SG106
shelve.open('x')  # expect: SG106
