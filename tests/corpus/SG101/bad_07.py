input(eval('1'))  # expect: SG101
