import os
try: raise Exception(os)
except Exception as e: e.args[0].system('x')  # expect: SG112
