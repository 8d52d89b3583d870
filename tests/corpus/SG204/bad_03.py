import builtins  # expect: SG204
builtins.open = lambda *a: None  # expect: SG204, SG210
