import pandas as pd
df=pd.DataFrame(); df.to_pickle('/etc/x')  # expect: SG401, SG402
