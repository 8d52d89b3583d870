# needs: pandas
"""Groups: sums, several functions, transforms, windows."""
import numpy as np
import pandas as pd

rng = np.random.default_rng(11)
sales = pd.DataFrame({"shop": rng.choice(["east", "west", "north"], 200), "item": rng.choice(["pen", "ink"], 200), "count": rng.integers(1, 9, 200), "price": rng.uniform(1, 5, 200).round(2)})
sales["total"] = sales["count"] * sales["price"]
print(sales.groupby("shop")["total"].sum().round(2).to_dict())
print(sales.groupby(["shop", "item"]).agg(n=("count", "size"), units=("count", "sum"), best=("total", "max")).round(2).to_string())
share = sales["total"] / sales.groupby("shop")["total"].transform("sum")
print(share.groupby(sales["shop"]).sum().round(6).tolist())
print(sales.groupby("item")["price"].describe()[["count", "min", "max"]].values.tolist())
top = sales.sort_values("total", ascending=False).groupby("shop").head(1)
print(top[["shop", "total"]].sort_values("shop").round(2).values.tolist())
print(sales.groupby("shop").filter(lambda g: len(g) > 65)["shop"].unique().tolist())
print(sales.groupby(pd.cut(sales["price"], [0, 2, 4, 6]))["count"].mean().round(3).tolist())
print(sales.groupby("shop", sort=True).apply(lambda g: np.average(g["price"], weights=g["count"])).round(4).to_dict())
print(sales["count"].rolling(5).mean().iloc[[4, 100, 199]].tolist(), sales["count"].expanding().max().iloc[-1], round(sales["price"].ewm(span=3).mean().iloc[-1], 6))
print(sales.groupby("shop")["count"].cumsum().iloc[-3:].tolist(), sales.groupby("item").ngroup().iloc[:5].tolist(), sales.groupby("shop").nth(0)["count"].tolist())
print(sales[["count", "price"]].corr().round(4).values.tolist(), sales["shop"].astype("category").cat.categories.tolist())
