import psutil
psutil.Process(1).kill()  # expect: SG502, SG506
