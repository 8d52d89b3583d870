import sys
sys.excepthook=print  # expect: SG210, SG211
