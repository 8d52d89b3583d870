import pandas as pd, numpy as np
df = pd.DataFrame({'a':[1,2]}); df.plot(kind='bar'); df.pivot_table(index='a'); df.eval('c = a * 2'); print(df.describe(), df.dtypes)
