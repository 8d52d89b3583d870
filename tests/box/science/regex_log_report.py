"""A log taken apart with regular expressions."""
import re
from collections import Counter

LOG = """\
10.0.0.1 - GET /index.html 200 512
10.0.0.2 - POST /login 302 0
10.0.0.1 - GET /a/b.png 404 1024
bad line
10.0.0.3 - GET /index.html?q=x%20y 200 700
"""
LINE = re.compile(r"""
    ^(?P<host>\d+(?:\.\d+){3})\s-\s
    (?P<verb>[A-Z]+)\s(?P<path>[^\s?]+)(?:\?(?P<query>\S*))?\s
    (?P<code>\d{3})\s(?P<size>\d+)$
""", re.X | re.M)

hits = [m.groupdict() for m in LINE.finditer(LOG)]
print(len(hits), hits[-1])
print(sorted(Counter(h["code"] for h in hits).items()))
print(sum(int(h["size"]) for h in hits))
print(re.sub(r"(\d+)\.(\d+)\.(\d+)\.(\d+)", r"\4.\3.\2.\1", LOG.splitlines()[1]))
print(re.split(r"\s*[,;]\s*", "a , b;c,d ;e"))
print(re.findall(r"(?i)\b(\w)\w*\1\b", "Anna went to Otto at noon"))
print(re.sub(r"\b\w", lambda m: m.group().upper(), "the quick brown fox"))
print([m.span() for m in re.finditer(r"(?<=o)\w(?!x)", "fox pool cool")])
print(re.fullmatch(r"[\w.+-]+@[\w-]+\.[\w.]+", "a.b+c@example.org") is not None)
print(re.escape("a+b(c)*"), re.subn("a", "b", "banana"))
