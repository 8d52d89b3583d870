import sys
sys.setprofile(print)  # expect: SG211
