globals()['__bui'+'ltins__']  # expect: SG202, SG204, SG208, SG212, SG214
