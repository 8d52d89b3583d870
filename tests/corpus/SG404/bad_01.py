import os
os.chmod('a',0o777)  # expect: SG404
