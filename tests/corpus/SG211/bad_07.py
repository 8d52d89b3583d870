import sys
sys.path.append('/opt/x')  # expect: SG211
