import math
math.__loader__.load_module('os')  # expect: SG212
