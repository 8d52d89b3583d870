import site  # expect: SG504
site.addsitedir('x')  # expect: SG504
