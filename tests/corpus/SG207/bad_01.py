super(str,'').__getattribute__('__class__')  # expect: SG207
