# needs: pandas
"""Text columns, categories, missing values and types."""
import pandas as pd

names = pd.Series(["  Ann Lee", "bob STONE ", None, "Cid-Ray Poe"])
clean = names.str.strip().str.title()
print(clean.tolist(), clean.str.len().tolist(), clean.str.contains("o", case=False, na=False).tolist())
print(clean.str.split(" ", expand=True).values.tolist(), clean.str.extract(r"(?P<first>\w)\S*\s(?P<last>\w+)").to_dict("list"))
print(names.str.replace(r"\W+", "_", regex=True).tolist(), names.str.count("[A-Z]").tolist(), clean.str.cat(sep="; "))
sizes = pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"], ordered=True)
print(sizes.codes.tolist(), sizes.max(), pd.Series(sizes).sort_values().tolist(), (sizes > "S").tolist())
whole = pd.array([1, None, 3], dtype="Int64")
print(whole.sum(), (whole + 1).tolist(), pd.array([True, None], dtype="boolean").tolist(), pd.NA is pd.NA)
print(pd.to_numeric(pd.Series(["1", "2.5", "x"]), errors="coerce").tolist(), pd.Series([1, 2]).astype(str).tolist())
print(pd.factorize(["b", "a", "b"])[0].tolist(), pd.Series(["a,b", "c"]).str.get_dummies(",").to_dict("list"))
with pd.option_context("display.precision", 3, "display.max_rows", 4):
    print(pd.DataFrame({"x": [1 / 3] * 6}).shape)
print(pd.DataFrame({"a": [1, 2], "b": [0.5, None]}).to_string(float_format="{:.1f}".format, na_rep="none"))
print(pd.Series({"x": 1, "y": 2}).to_string(), pd.Index([3, 1, 2]).sort_values().tolist(), pd.Index(list("ab")).union(["c"]).tolist())
interval = pd.Interval(0, 5, closed="left")
print(3 in interval, interval.mid, pd.DataFrame({"a": [1]}).eval("b = a + 1").to_dict("list"), pd.DataFrame({"a": [3, 1]}).nlargest(1, "a")["a"].tolist())
