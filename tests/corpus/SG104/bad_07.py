import _posixsubprocess  # expect: SG104
