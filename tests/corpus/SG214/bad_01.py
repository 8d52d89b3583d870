for n in ['__class__','__base__']: getattr(0,n)  # expect: SG203, SG208, SG214
