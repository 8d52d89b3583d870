f=lambda:0
f.__code__=compile('1','','eval')  # expect: SG101, SG202
