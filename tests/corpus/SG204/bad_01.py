import builtins as b  # expect: SG204
b.exec('1')  # expect: SG101, SG204
