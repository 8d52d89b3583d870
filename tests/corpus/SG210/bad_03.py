import sys
sys.displayhook=eval  # expect: SG101, SG210, SG211
