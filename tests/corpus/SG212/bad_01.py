__spec__  # expect: SG212
