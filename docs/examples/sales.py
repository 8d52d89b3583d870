# What a model writes when it is asked: "Sum up the sales by region, and plot
# them by month."
import io

import matplotlib.pyplot as plt
import pandas as pd

DATA = """month,region,amount
2026-01,north,120
2026-01,south,80
2026-02,north,150
2026-02,south,95
2026-03,north,170
2026-03,south,60
"""

sales = pd.read_csv(io.StringIO(DATA))
print(sales.groupby("region")["amount"].agg(["sum", "mean"]))

table = sales.pivot(index="month", columns="region", values="amount")
table.plot(marker="o", title="Sales by month")
plt.ylabel("amount")
plt.show()

table.sum(axis=1).idxmax()
