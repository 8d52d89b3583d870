import numpy
numpy.load("a.npy", None, True)  # expect: SG107
