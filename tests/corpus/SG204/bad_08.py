vars(__builtins__)['eval']  # expect: SG101, SG204
