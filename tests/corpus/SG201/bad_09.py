import inspect
inspect.currentframe().f_back  # expect: SG201
