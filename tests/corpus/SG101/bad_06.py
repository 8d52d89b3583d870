import numexpr  # expect: SG101
numexpr.evaluate('1')  # expect: SG101
