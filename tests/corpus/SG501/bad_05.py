import psutil
psutil.Process().environ()  # expect: SG501, SG506
