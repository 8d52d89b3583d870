import builtins as bb  # expect: SG204
vars(bb).get("ex"+"ec")("1")  # expect: SG101, SG204
