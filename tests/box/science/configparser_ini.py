"""Configuration files with defaults and interpolation."""
import configparser
import io

TEXT = """\
[DEFAULT]
root = /srv
retries = 3

[web]
home = %(root)s/www
debug = yes
ratio = 0.75
list =
    one
    two
; a comment
[empty]
flag
"""
config = configparser.ConfigParser(allow_no_value=True)
config.read_string(TEXT)
web = config["web"]
print(config.sections(), web["home"], web.getboolean("debug"), web.getfloat("ratio"), web.getint("retries"))
print(web["list"].split(), config["empty"]["flag"], config.get("web", "none", fallback="?"), "debug" in web)
config["new"] = {"a": "1", "B": "two words"}
config.set("new", "path", "%(root)s/%(a)s")
config.remove_option("web", "list")
with open("out.ini", "w") as f:
    config.write(f)
again = configparser.ConfigParser(allow_no_value=True)
print(again.read(["missing.ini", "out.ini"]), again["new"]["path"], sorted(again["new"]))
out = io.StringIO()
again.write(out, space_around_delimiters=False)
print(out.getvalue().count("="), again.has_section("gone"))
for bad in ("no section\n", "[a]\n[a]\n", "[a]\nx = 1\nx = 2\n"):
    try:
        configparser.ConfigParser().read_string(bad)
    except configparser.Error as error:
        print(type(error).__name__)
extended = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation())
extended.read_string("[a]\nx = 5\n[b]\ny = ${a:x}0\n")
print(extended["b"]["y"])
