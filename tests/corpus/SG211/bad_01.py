import sys
sys.settrace(print)  # expect: SG211
