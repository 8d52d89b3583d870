type(type(1)).__subclasses__(type(1))  # expect: SG203
