import cffi  # expect: SG105
