import pandas as pd
pd.read_csv('http://h/x?d=1')  # expect: SG301
