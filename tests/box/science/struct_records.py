"""Binary records packed into a file and read back."""
import io
import struct
import array

RECORD = struct.Struct("<I8shd?")
print(RECORD.size, RECORD.format)
with open("records.bin", "wb") as f:
    for i, name in enumerate(["alpha", "beta", "gamma"]):
        f.write(RECORD.pack(i, name.encode(), -i * 100, i / 3, i % 2 == 0))
with open("records.bin", "rb") as f:
    for number, name, short, real, flag in RECORD.iter_unpack(f.read()):
        print(number, name.rstrip(b"\0").decode(), short, round(real, 6), flag)
print(struct.pack(">HhIi", 65535, -2, 1, -1).hex(), struct.unpack("!f", bytes.fromhex("40490fdb"))[0])
print(struct.calcsize("=bhiq"), struct.unpack_from("<H", b"\0\0\x34\x12", 2))
try:
    struct.pack("B", 256)
except struct.error as error:
    print("struct.error")
numbers = array.array("d", [0.5, 1.5, 2.5])
numbers.extend(range(3))
print(numbers.tolist(), numbers.itemsize, numbers.typecode)
shorts = array.array("h", [1, 2, 3])
shorts.byteswap()
print(shorts.tolist(), array.array("I", b"\1\0\0\0\2\0\0\0").tolist())
view = memoryview(bytearray(b"abcdefgh"))
view[2:4] = b"XY"
print(bytes(view), view[::2].tolist(), view.cast("H").shape, view.readonly)
header = io.BytesIO(struct.pack(">4sHB", b"DEMO", 2, 7))
print(struct.unpack(">4sHB", header.read(7)), int.from_bytes(b"\x01\x00", "big"), (258).to_bytes(3, "little"))
