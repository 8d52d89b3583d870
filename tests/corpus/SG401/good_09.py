"""Files by letter, and the last part of an address."""
import itertools
import re

words = ["apple", "avocado", "pear"]
for letter, group in itertools.groupby(words, key=lambda w: w[0]):
    with open(f"{letter}.txt", "w") as f:
        f.write("\n".join(group))
for i in range(26):
    with open(chr(97 + i) + ".idx", "w") as f:
        f.write(str(i))
address = "https://example.org/files/report.txt"
with open(re.search(r"/([^/]+)$", address).group(1), "w") as f:
    f.write(address)
