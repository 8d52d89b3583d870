type.__call__(type, "T", (), {}).__subclasses__  # expect: SG203
