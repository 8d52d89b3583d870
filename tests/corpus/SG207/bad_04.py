import inspect
dict(inspect.getmembers(int))['__subclasses__']  # expect: SG207, SG214
