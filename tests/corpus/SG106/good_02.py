import pandas as pd
df = pd.read_csv('data.csv'); print(df.groupby('a')['b'].mean()); df.to_csv('out.csv', index=False)
df['c'] = df.apply(lambda r: r['a']+r['b'], axis=1); print(df.query('a > 1')); df.to_excel('x.xlsx'); df.to_json('x.json')
