# needs: pandas
"""Time series: ranges, resampling, zones, gaps."""
import numpy as np
import pandas as pd

index = pd.date_range("2024-01-01", periods=60, freq="D")
series = pd.Series(np.arange(60) % 7, index=index)
print(series.resample("W").sum().tolist(), series.resample("MS").mean().round(4).to_dict())
print(series["2024-02"].sum(), series.loc["2024-01-30":"2024-02-02"].tolist(), series.asfreq("10D").tolist())
hours = pd.date_range("2023-03-26", periods=5, freq="h" if pd.__version__ >= "2.2" else "H", tz="Europe/Berlin")
print([str(t) for t in hours], [str(t) for t in hours.tz_convert("UTC")][:3])
stamp = pd.Timestamp("2024-02-29 13:45", tz="Asia/Tokyo")
print(stamp.tz_convert("America/New_York"), stamp + pd.DateOffset(years=1), stamp.floor("D"), stamp.day_name(), stamp.quarter)
print(pd.Timedelta("1 days 02:30:00") * 3, (pd.Timestamp("2024-03-01") - pd.Timestamp("2024-02-01")).days, pd.Period("2024-02", "M").days_in_month)
print(pd.to_datetime(["01/02/2024", "2024-13-01"], errors="coerce", dayfirst=True, format="%d/%m/%Y").tolist())
print(pd.bdate_range("2024-01-05", periods=3).strftime("%a %d").tolist(), pd.period_range("2024Q1", periods=3, freq="Q").astype(str).tolist())
gaps = pd.Series([1.0, np.nan, np.nan, 4.0, np.nan], index=pd.date_range("2024-01-01", periods=5))
print(gaps.interpolate().tolist(), gaps.ffill().tolist(), gaps.dropna().index.strftime("%d").tolist())
events = pd.DataFrame({"t": pd.to_datetime(["2024-01-01 10:07", "2024-01-01 10:58", "2024-01-01 12:01"]), "n": [1, 2, 3]})
print(events.set_index("t").resample("30min").sum()["n"].tolist(), events["t"].dt.hour.tolist(), events["t"].diff().dt.total_seconds().tolist()[1:])
print(series.rolling("7D").sum().iloc[[0, 6, 30]].tolist(), series.shift(1, freq="D").index[0], series.groupby(series.index.dayofweek).sum().tolist(), series.pct_change().iloc[2])
