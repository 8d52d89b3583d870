print.__class__.__base__.__subclasses__()  # expect: SG203
