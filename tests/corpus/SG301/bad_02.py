import pandas as pd
pd.read_html('https://x')  # expect: SG301
