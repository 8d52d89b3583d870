getattr('','__class__').__base__  # expect: SG203, SG208
