import faulthandler  # expect: SG211
faulthandler._sigsegv()  # expect: SG105, SG211
