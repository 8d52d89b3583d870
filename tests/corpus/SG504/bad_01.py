import atexit,os  # expect: SG504
atexit.register(os.system,'ls')  # expect: SG104, SG215, SG504
