"""CSV with quotes, other delimiters, sniffing and dictionaries."""
import csv
import io
from collections import defaultdict

rows = [["name", "note", "amount"], ["Ann", 'says "hi"', 3], ["Bob", "a, b", 4.5], ["Ann", "two\nlines", -1]]
with open("plain.csv", "w", newline="") as f:
    csv.writer(f).writerows(rows)
with open("plain.csv", newline="") as f:
    text = f.read()
print(repr(text))

totals = defaultdict(float)
for row in csv.DictReader(io.StringIO(text, newline="")):
    totals[row["name"]] += float(row["amount"])
print(sorted(totals.items()))

semicolon = io.StringIO()
out = csv.DictWriter(semicolon, ["x", "y"], delimiter=";", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
out.writeheader()
out.writerows({"x": i, "y": str(i * i)} for i in range(3))
print(semicolon.getvalue())

dialect = csv.Sniffer().sniff("a|b|c\n1|2|3\n4|5|6\n")
print(repr(dialect.delimiter), list(csv.reader(["7|8|9"], dialect)))
print(csv.Sniffer().has_header("n,v\na,1\nb,2\n"))
