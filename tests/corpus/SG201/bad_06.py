import traceback, sys
traceback.extract_stack(); sys._getframe().f_code  # expect: SG201
