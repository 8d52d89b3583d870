''.__getattribute__('__class__')  # expect: SG207
