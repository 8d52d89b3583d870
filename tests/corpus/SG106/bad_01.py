import cloudpickle  # expect: SG106
