import pandas as pd
pd.DataFrame().query("@__import__('os').system('x')")  # expect: SG109, SG110
