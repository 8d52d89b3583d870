import signal, os  # expect: SG502
os.kill(os.getpid(), signal.SIGKILL)  # expect: SG502, SG506
