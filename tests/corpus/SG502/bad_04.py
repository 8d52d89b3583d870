import signal  # expect: SG502
signal.signal(signal.SIGALRM,lambda *a:eval('1'))  # expect: SG101, SG502
