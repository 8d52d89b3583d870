type.__getattribute__(int,'__subclasses__')  # expect: SG203, SG207, SG208, SG214
