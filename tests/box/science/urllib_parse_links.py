"""Addresses taken apart and put together; nothing is fetched."""
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit, urldefrag

parts = urlsplit("https://user:pw@example.org:8042/a%20b/c;p?x=1&y=two&y=3#frag")
print(parts.scheme, parts.hostname, parts.port, parts.username, parts.path, parts.query, parts.fragment)
print(urlunsplit(parts._replace(netloc="example.org", fragment="")))
print(parse_qs(parts.query), parse_qsl("a=1&b=&c", keep_blank_values=True))
print(urlencode({"q": "a b&c", "n": [1, 2]}, doseq=True), quote("/p q/é", safe="/"), unquote("%E2%82%AC"))
base = "http://a/b/c/d;p?q"
for relative in ("g", "./g", "g/", "/g", "//g", "?y", "g#s", "../g", "../../../g", "", "http:g", "g;x=1/../y"):
    print(repr(relative), urljoin(base, relative))
print(urldefrag("http://x/y#z"), urlsplit("mailto:a@b.c"), urlsplit("//host/path").netloc)
try:
    urlsplit("http://[::1/")
except ValueError as error:
    print(error)
