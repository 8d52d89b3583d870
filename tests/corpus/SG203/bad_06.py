type.mro(int)  # expect: SG203
