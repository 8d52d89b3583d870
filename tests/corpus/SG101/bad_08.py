def g(): yield from [eval]  # expect: SG101
next(g())('1')  # expect: SG101
