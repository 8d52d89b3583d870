"""A command line parsed: options, subcommands, errors."""
import argparse
import contextlib
import io

parser = argparse.ArgumentParser(prog="tool", description="A small tool.")
parser.add_argument("-v", "--verbose", action="count", default=0)
commands = parser.add_subparsers(dest="command", required=True)
add = commands.add_parser("add", help="add numbers")
add.add_argument("numbers", type=float, nargs="+")
add.add_argument("--round", type=int, metavar="N", default=2)
find = commands.add_parser("find")
find.add_argument("pattern")
find.add_argument("--mode", choices=["fast", "full"], default="fast")
group = find.add_mutually_exclusive_group()
group.add_argument("--upper", action="store_true")
group.add_argument("--lower", action="store_false", dest="upper")
find.add_argument("--set", action="append", default=[], type=lambda s: tuple(s.split("=")))

for line in ("-vv add 1 2.5 3", "add --round 0 7", "find x --mode full --set a=1 --set b=2", "find y --upper"):
    print(sorted(vars(parser.parse_args(line.split())).items()))
for line in ("", "add one", "find x --mode slow", "find x --upper --lower", "nothing"):
    error = io.StringIO()
    with contextlib.redirect_stderr(error):
        try:
            parser.parse_args(line.split())
        except SystemExit as stop:
            print(stop.code, "error" in error.getvalue())
known, rest = parser.parse_known_args(["find", "z", "--extra", "1"])
print(known.pattern, rest)
print(parser.format_usage().startswith("usage: tool"))
namespace = argparse.Namespace(a=1)
print(namespace, "a" in namespace)
