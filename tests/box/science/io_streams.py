"""Text and binary streams, buffering, newlines, seeking."""
import io

raw = io.BytesIO(b"first\r\nsecond\nthird\r")
text = io.TextIOWrapper(raw, encoding="ascii", newline=None)
print(text.readlines(), text.newlines)
keep = io.TextIOWrapper(io.BytesIO(b"a\r\nb\rc\n"), encoding="ascii", newline="")
print(list(keep))
memory = io.StringIO("one two three")
memory.seek(4)
memory.write("TWO")
print(memory.getvalue(), memory.tell(), memory.read())
with open("stream.txt", "w", encoding="utf-8", newline="\r\n") as f:
    f.write("ä\nö\n")
    print(f.encoding, f.writable(), f.readable())
with open("stream.txt", "rb") as f:
    print(f.read(), f.seekable())
    f.seek(-3, io.SEEK_END)
    print(f.read(1), f.peek(5)[:2])
with open("stream.txt", encoding="utf-8") as f:
    print([line.rstrip() for line in f], f.read() == "")
with open("stream.txt", "a+", encoding="utf-8") as f:
    f.write("more")
    f.seek(0)
    print(len(f.read()))
with open("raw.bin", "wb", buffering=0) as f:
    print(type(f).__name__, f.write(b"12345"))
buffer = bytearray(3)
with open("raw.bin", "rb") as f:
    print(f.readinto(buffer), buffer, f.read1(10), f.read())
pair = io.BufferedRWPair(io.BytesIO(b"in"), io.BytesIO())
print(pair.read(2), pair.write(b"out"))
with open("latin.txt", "w", encoding="latin-1") as f:
    f.write("é")
try:
    open("latin.txt", encoding="utf-8").read()
except UnicodeDecodeError as error:
    print(error.reason, error.start)
print(open("latin.txt", encoding="utf-8", errors="replace").read() == "\ufffd")
print("x", "y", sep="-", end="!\n", file=memory)
print(memory.getvalue().splitlines()[-1])
