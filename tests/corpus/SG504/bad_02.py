import atexit  # expect: SG504
atexit.register(eval,'1')  # expect: SG101, SG504
