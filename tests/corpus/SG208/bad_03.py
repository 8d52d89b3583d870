import operator
operator.attrgetter('__class__')(1)  # expect: SG208
