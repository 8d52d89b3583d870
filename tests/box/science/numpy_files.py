# needs: numpy
"""Arrays in text, npy, npz, raw and mapped files."""
import os
import numpy as np

table = np.arange(12).reshape(3, 4) / 4
np.savetxt("table.txt", table, fmt="%.2f", delimiter=",", header="a,b,c,d")
print(open("table.txt").read(), np.array_equal(np.loadtxt("table.txt", delimiter=","), table))
print(np.loadtxt("table.txt", delimiter=",", usecols=(0, 3), skiprows=1, max_rows=2))
np.save("table.npy", table)
np.savez_compressed("many.npz", first=table, second=np.array(["x", "y"]))
with np.load("many.npz") as data:
    print(sorted(data.files), data["second"], np.array_equal(np.load("table.npy"), data["first"]))
mapped = np.memmap("mapped.bin", dtype="f4", mode="w+", shape=(1000, 10))
mapped[:] = np.arange(10)
mapped[500] *= 2
mapped.flush()
del mapped
again = np.memmap("mapped.bin", dtype="f4", mode="r", shape=(1000, 10))
print(again[499:502].sum(axis=1), again.sum(), os.path.getsize("mapped.bin"))
try:
    again[0] = 1
except ValueError as error:
    print(error)
print(np.load("table.npy", mmap_mode="r")[1])
table.astype("<i2").tofile("raw.bin")
print(np.fromfile("raw.bin", "<i2")[-4:], np.frombuffer(b"\1\0\2\0", "<i2"))
with open("gaps.csv", "w") as f:
    f.write("name,x,y\nann,1,\nbob,,2.5\n")
print(np.genfromtxt("gaps.csv", delimiter=",", names=True, dtype=None, encoding="utf-8"))
print(np.array2string(np.pi * np.arange(4), precision=3), np.format_float_positional(1e-5), np.fromstring("1 2 3", sep=" "))
