"""Looks at the parts of a path, and reads the file that it is given."""
import sys

where = "/api/v1/items"
print(where.split("/"))
with open(sys.argv[1]) as f:
    print(len(f.read()))
