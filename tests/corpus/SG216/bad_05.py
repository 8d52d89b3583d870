import types
types.sys.modules  # expect: SG216
