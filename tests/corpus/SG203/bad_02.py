''.__class__.__base__  # expect: SG203
