import atexit  # expect: SG504
@atexit.register  # expect: SG504
def f(): pass
