import pandas as pd
pd.eval('1+1')  # expect: SG101
