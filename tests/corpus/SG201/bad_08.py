import inspect
inspect.stack()  # expect: SG201
