getattr(0,'\x5f\x5fclass\x5f\x5f')  # expect: SG208
