import atexit
def later(f):
    atexit.register(f)  # expect: SG504
later(print)
