import numpy
numpy.core.os.system('x')  # expect: SG112, SG216
