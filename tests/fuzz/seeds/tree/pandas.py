import pandas as pd
df = pd.read_csv('a.csv')
df.groupby('k')['v'].mean().to_csv('/tmp/b')
df.query('@x')
df.eval('a+b')
pd.read_pickle('x')
