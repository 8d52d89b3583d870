import os
os.environ['X']  # expect: SG501
