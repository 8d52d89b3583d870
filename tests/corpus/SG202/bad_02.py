(lambda:0).__code__  # expect: SG202
