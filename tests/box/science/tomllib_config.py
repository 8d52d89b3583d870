# needs: 3.11
"""Configuration in TOML."""
import tomllib

TEXT = '''
title = "Example"
pi = 3.14159
big = 1_000_000
when = 1979-05-27T07:32:00Z
day = 1979-05-27

[owner]
name = "Tom"
tags = ["a", "b", { nested = true }]

[[server]]
host = "alpha"
ports = [8000, 8001]

[[server]]
host = "beta"
path = 'C:\\raw'
text = """
two
lines"""
'''
data = tomllib.loads(TEXT)
print(data["title"], data["pi"], data["big"], data["when"].isoformat(), data["day"])
print(data["owner"], [s["host"] for s in data["server"]], repr(data["server"][1]["text"]), data["server"][1]["path"])
with open("c.toml", "w") as f:
    f.write(TEXT)
with open("c.toml", "rb") as f:
    print(tomllib.load(f) == data)
for bad in ("a = ", "a = 1\na = 2", "[a\n", "x = 01"):
    try:
        tomllib.loads(bad)
    except tomllib.TOMLDecodeError:
        print("refused")
