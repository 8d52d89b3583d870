import itertools
next(itertools.chain([eval]))('1')  # expect: SG101
