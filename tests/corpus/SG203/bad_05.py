int.mro()  # expect: SG203
