"""Names of files that are made of titles and numbers."""
import re
import struct

titles = ["A first one", "What/else"]
for number, title in enumerate(titles):
    name = re.sub(r"[^a-z]+", "_", title.lower())
    for ch in ":?*":
        name = name.replace(ch, "")
    with open("%d_%s.txt" % (number, name), "w") as f:
        f.write(title)
    with open("_".join(["out", name, str(number)]) + ".bin", "wb") as f:
        f.write(struct.pack("<I", number))
