__loader__.load_module('os')  # expect: SG212
