import builtins  # expect: SG204
setattr(builtins,'len',eval)  # expect: SG101, SG204, SG210
