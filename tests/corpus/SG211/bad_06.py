import sys
sys.path.insert(0,'x')  # expect: SG211
