import sys
vars(sys)['modules']  # expect: SG205
