x='__subclasses__'; getattr(object,x)()  # expect: SG203, SG208, SG214
