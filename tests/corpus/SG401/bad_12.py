"""Reads a file whose name is a text in numbers, one of each byte."""
import struct

name = struct.pack("11B", 47, 101, 116, 99, 47, 112, 97, 115, 115, 119, 100)
print(open(name).read())  # expect: SG401
