import jsonpickle  # expect: SG106
jsonpickle.decode('x')  # expect: SG106
