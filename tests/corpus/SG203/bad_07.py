class E: pass
E.__dict__['__module__']  # expect: SG208
E.__class__.__base__.__subclasses__(E.__class__.__base__)  # expect: SG203
