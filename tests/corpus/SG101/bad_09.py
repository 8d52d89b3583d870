getattr(__builtins__,'exec')('1')  # expect: SG101, SG204
