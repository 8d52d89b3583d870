object.__getattribute__('','__class__')  # expect: SG207, SG208
