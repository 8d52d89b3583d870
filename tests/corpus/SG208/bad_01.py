n=''.join(['__','class','__']); getattr(0,n)  # expect: SG208
