import site  # expect: SG504
