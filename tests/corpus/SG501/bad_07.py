import os
os.getenvb(b"X")  # expect: SG501
