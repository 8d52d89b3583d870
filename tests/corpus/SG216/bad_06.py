import numpy.core.multiarray as m
m.os  # expect: SG216
