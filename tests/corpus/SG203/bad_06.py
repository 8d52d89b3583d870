object.__subclasses__()  # expect: SG203
