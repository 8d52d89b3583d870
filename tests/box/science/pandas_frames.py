# needs: pandas
"""Frames built, selected, changed and printed."""
import numpy as np
import pandas as pd

frame = pd.DataFrame({"city": ["Rome", "Oslo", "Lima", "Oslo"], "year": [2020, 2020, 2021, 2021], "rain": [80.5, np.nan, 1.25, 70.0]})
print(frame.to_string(index=False))
print(frame.shape, frame.dtypes.astype(str).to_dict(), frame["rain"].isna().sum())
print(frame.loc[frame["year"] == 2021, ["city", "rain"]].values.tolist(), frame.iloc[0].to_dict())
frame["wet"] = frame["rain"].fillna(frame["rain"].mean()).round(2) > 60
frame = frame.assign(code=frame["city"].str[:2].str.upper()).sort_values(["city", "year"], ascending=[True, False])
print(frame.reset_index(drop=True).to_string())
print(frame.query("rain > 10 and year >= 2020")["city"].tolist(), frame["city"].value_counts().to_dict())
print(frame.describe().loc[["mean", "max"], "rain"].round(4).tolist(), frame["city"].nunique())
wide = frame.set_index(["city", "year"])["rain"].unstack()
print(wide.to_string())
print(wide.stack().reset_index(name="rain").to_dict("records"))
print(frame.melt(id_vars="city", value_vars=["year", "rain"]).shape, frame.drop(columns="wet").columns.tolist())
print(frame["rain"].apply(lambda r: "dry" if r < 10 else "wet").tolist(), frame["year"].map({2020: "a", 2021: "b"}).tolist())
print(pd.cut([1, 7, 5, 4], bins=[0, 3, 6, 9], labels=["low", "mid", "high"]).tolist(), pd.qcut(range(8), 4, labels=False).tolist())
print(frame.duplicated("city").sum(), frame.drop_duplicates("city").shape, pd.concat([frame, frame]).shape, frame.T.shape)
series = pd.Series([3, 1, 2], index=list("abc"))
print(series.rank().tolist(), series.idxmax(), series.cumsum().to_dict(), (series + pd.Series({"b": 10, "d": 1})).to_dict(), series.shift().tolist()[1:])
