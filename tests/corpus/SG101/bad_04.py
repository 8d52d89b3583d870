e=eval;e('1')  # expect: SG101
