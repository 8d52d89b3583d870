import trace, sys  # expect: SG101, SG211
sys.gettrace()  # expect: SG211
