import signal  # expect: SG502
signal.signal(2,print)  # expect: SG502
