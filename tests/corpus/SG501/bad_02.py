import os
print(dict(os.environ))  # expect: SG501
