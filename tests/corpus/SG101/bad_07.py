__builtins__.eval('1')  # expect: SG101, SG204
