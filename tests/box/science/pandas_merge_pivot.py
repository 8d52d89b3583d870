# needs: pandas
"""Tables joined, pivoted and reshaped."""
import pandas as pd

people = pd.DataFrame({"pid": [1, 2, 3, 4], "name": ["Ann", "Bob", "Cid", "Dee"]})
orders = pd.DataFrame({"oid": [10, 11, 12, 13, 14], "pid": [1, 1, 2, 5, 3], "amount": [5.0, 7.5, 2.0, 9.0, 4.0], "month": ["jan", "feb", "jan", "jan", "feb"]})
for how in ("inner", "left", "right", "outer"):
    joined = people.merge(orders, on="pid", how=how, indicator=True)
    print(how, len(joined), joined["_merge"].value_counts().sort_index().to_dict())
full = people.merge(orders, on="pid")
print(full.pivot_table(index="name", columns="month", values="amount", aggfunc="sum", fill_value=0, margins=True).to_string())
print(pd.crosstab(full["name"], full["month"]).to_string())
print(full.pivot(index="oid", columns="month", values="amount").to_string(na_rep="-"))
print(people.set_index("pid").join(orders.set_index("pid"), how="left").reset_index()[["name", "oid"]].fillna(0).astype({"oid": int}).values.tolist())
left = pd.DataFrame({"t": [1, 5, 10], "v": ["a", "b", "c"]})
right = pd.DataFrame({"t": [1, 2, 3, 6, 7], "w": [1, 2, 3, 6, 7]})
print(pd.merge_asof(left, right, on="t").values.tolist(), pd.merge(left, right, how="cross").shape)
try:
    people.merge(orders, on="pid", validate="one_to_one")
except pd.errors.MergeError as error:
    print("not unique")
long = pd.DataFrame({"a1": [1, 2], "a2": [3, 4], "id": [0, 1]})
print(pd.wide_to_long(long, "a", i="id", j="n").reset_index().values.tolist())
index = pd.MultiIndex.from_product([["x", "y"], [1, 2]], names=["k", "n"])
data = pd.Series(range(4), index=index)
print(data.unstack().to_string(), data.xs(2, level="n").to_dict(), data.swaplevel().sort_index().tolist(), data.loc["y"].sum())
print(pd.get_dummies(orders["month"]).astype(int).sum().to_dict(), orders["amount"].explode().sum(), pd.DataFrame({"l": [[1, 2], [3]]}).explode("l")["l"].tolist())
