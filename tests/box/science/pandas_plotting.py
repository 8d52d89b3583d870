# needs: matplotlib pandas
"""A frame summarised and drawn into a file."""
import os
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

rng = np.random.default_rng(8)
frame = pd.DataFrame({"temp": 15 + 10 * np.sin(np.arange(365) / 58) + rng.normal(0, 1, 365), "rain": rng.gamma(2, 2, 365)}, index=pd.date_range("2023-01-01", periods=365))
monthly = frame.groupby(frame.index.month).agg({"temp": "mean", "rain": "sum"}).round(2)
print(monthly.to_string())
axis = monthly["rain"].plot(kind="bar", title="Rain")
print(len(axis.patches), axis.get_title())
axis.figure.savefig("rain.png")
plt.close("all")
frame.plot(subplots=True)
plt.savefig("both.png")
print([open(n, "rb").read(4) for n in ("rain.png", "both.png")], all(os.path.getsize(n) > 0 for n in ("rain.png", "both.png")))
monthly.to_csv("monthly.csv")
print(pd.read_csv("monthly.csv", index_col=0).equals(monthly), frame["temp"].corr(frame["rain"]).round(4))
