getattr('','__cl'+'ass__')  # expect: SG208
