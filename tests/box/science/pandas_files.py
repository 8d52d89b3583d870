# needs: pandas
"""Frames through CSV, JSON, pickles and SQLite."""
import io
import sqlite3
import pandas as pd

frame = pd.DataFrame({"id": [1, 2, 3], "name": ["Ann", "Bob, jr.", 'C "x"'], "score": [9.5, None, 7.25], "when": pd.to_datetime(["2024-01-01", "2024-02-29", None])})
frame.to_csv("out.csv", index=False)
print(open("out.csv").read())
back = pd.read_csv("out.csv", parse_dates=["when"], dtype={"id": "int32"})
print(back.equals(frame.astype({"id": "int32"})), back.dtypes.astype(str).tolist())
print(pd.read_csv(io.StringIO("a;b\n1,5;x\n# note\n2,5;y\n"), sep=";", decimal=",", comment="#").to_dict("list"))
print(frame.to_json(orient="records", date_format="iso"))
frame.to_json("out.json")
print(pd.read_json("out.json")["name"].tolist())
for chunk in pd.read_csv("out.csv", chunksize=2):
    print(len(chunk), chunk["id"].sum())
frame.to_pickle("out.pkl")
print(pd.read_pickle("out.pkl").equals(frame))
with sqlite3.connect("out.db") as db:
    frame.drop(columns="when").to_sql("people", db, index=False)
    print(pd.read_sql("SELECT name, score FROM people WHERE score > 8 ORDER BY name", db).values.tolist())
frame.to_csv("out.csv.gz", index=False)
print(pd.read_csv("out.csv.gz").shape, frame.to_html(index=False).count("<td>"), frame.to_dict("split")["columns"])
print(pd.json_normalize([{"a": {"b": 1, "c": [1]}, "d": 2}]).columns.tolist())
fixed = pd.read_fwf(io.StringIO("ab  12\ncd  34\n"), widths=[4, 2], header=None)
print(fixed.values.tolist())
