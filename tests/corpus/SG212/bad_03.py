import math
math.__spec__.loader  # expect: SG212
