import os
base = os.path.dirname(os.path.abspath(__file__))
print(os.path.join(base, 'data'))
