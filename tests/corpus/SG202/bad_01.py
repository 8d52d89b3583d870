(lambda:0).__globals__  # expect: SG202
