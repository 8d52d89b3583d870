"""Standard input that is empty, standard output in pieces."""
import sys

if not sys.stdin.isatty():
    print(repr(sys.stdin.read(0)))
sys.stdout.write("no newline yet")
sys.stdout.flush()
print(" ... done")
sys.stdout.buffer.write("bytes: \u00e9\n".encode("utf-8"))
sys.stdout.buffer.flush()
print("one", "two", sep="\t", end=".\n")
print(*range(5), sep=", ")
print("%5.2f|%-8s|%+d|%x|%%|%r" % (3.14159, "left", 7, 255, "q"))
print("wide \u6f22\u5b57 and \U0001f40d", file=sys.stdout)
for i in range(200):
    print(f"{i:03}", end="\n" if i % 20 == 19 else " ")
print("error text", file=sys.stderr)
print(sys.stdout.encoding.lower().replace("_", "-"), sys.byteorder, sys.maxsize == 2 ** 63 - 1, len(sys.argv))
