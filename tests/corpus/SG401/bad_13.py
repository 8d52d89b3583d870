"""Puts a path together piece by piece."""
import html

parts = [""]
for part in ["srv", "ledger", "keys"]:
    parts.append(part)
with open("/".join(parts)) as f:  # expect: SG401
    print(f.read())
with open(html.unescape("&#47;srv&#47;x")) as f:  # expect: SG401
    print(f.read())
