import itertools
list(itertools.starmap(eval,[('1',)]))  # expect: SG101
