import inspect
inspect.currentframe().f_back.f_globals  # expect: SG201
