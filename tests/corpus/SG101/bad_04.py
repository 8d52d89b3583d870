import pandas as pd
pd.Series(['1']).apply(eval)  # expect: SG101
