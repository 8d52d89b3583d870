dir(__builtins__)  # expect: SG204
