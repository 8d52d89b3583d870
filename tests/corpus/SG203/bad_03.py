type.__subclasses__(object)  # expect: SG203
