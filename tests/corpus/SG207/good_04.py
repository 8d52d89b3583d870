import itertools, operator
print(sorted([{'a':1}], key=operator.itemgetter('a')), sorted([1j], key=operator.attrgetter('real')), list(itertools.accumulate([1,2], operator.mul)))
