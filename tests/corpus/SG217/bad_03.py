import os
try: raise Exception(os)  # expect: SG217
except Exception as e: e.args[0].system('x')  # expect: SG112
