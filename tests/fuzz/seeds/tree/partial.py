from functools import partial, reduce
from operator import attrgetter, methodcaller
partial(getattr, o)('system')
attrgetter('a.b')(o)
methodcaller('system', 'x')(o)
reduce(getattr, ['a', 'b'], o)
