"""A file in the working directory seen through memory maps."""
import mmap
import os

with open("big.bin", "wb") as f:
    f.write(b"\0" * 65536)
with open("big.bin", "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
    print(len(m), m[0:4])
    m[100:105] = b"hello"
    m.seek(65530)
    m.write(b"end")
    m.flush()
    print(m.find(b"hello"), m.rfind(b"end"), m.tell(), m[100:105])
    m.move(200, 100, 5)
    print(m[200:205], m.size())
with open("big.bin", "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    print(m[200:205], sum(1 for b in m[:] if b != b"\0"[0]))
    try:
        m[0] = 1
    except TypeError:
        print("read only")
with open("big.bin", "r+b") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY) as m:
    m[0:3] = b"tmp"
    print(m[0:3])
with open("big.bin", "rb") as f:
    print(f.read(3))
with open("big.bin", "r+b") as f, mmap.mmap(f.fileno(), 4096, offset=mmap.ALLOCATIONGRANULARITY) as m:
    m[0:1] = b"X"
print(os.path.getsize("big.bin"))
shared = mmap.mmap(-1, 10000)
shared.write(b"anonymous")
print(shared[:9], len(shared))
shared.close()
with open("lines.txt", "wb") as f:
    f.write(b"one\ntwo\nthree\n")
with open("lines.txt", "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    print([line for line in iter(m.readline, b"")])
