import atexit
atexit.register(eval,'1')  # expect: SG101, SG504
