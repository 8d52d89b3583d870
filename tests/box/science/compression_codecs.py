"""zlib, gzip, bz2 and lzma, in memory and in files."""
import bz2
import gzip
import lzma
import zlib

data = b"".join(b"line %d of some repetitive text\n" % (i % 50) for i in range(2000))
for module in (zlib, gzip, bz2, lzma):
    packed = module.compress(data)
    print(module.__name__, len(packed) < len(data) // 10, module.decompress(packed) == data)
for module, suffix in ((gzip, "gz"), (bz2, "bz2"), (lzma, "xz")):
    with module.open("data." + suffix, "wt", encoding="utf-8") as f:
        f.write(data.decode())
    with module.open("data." + suffix, "rt", encoding="utf-8") as f:
        lines = f.readlines()
    print(suffix, len(lines), lines[51].strip())
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
raw = packer.compress(data[:5000]) + packer.compress(data[5000:]) + packer.flush()
unpacker = zlib.decompressobj(-15)
print(unpacker.decompress(raw, 100) == data[:100], len(unpacker.unconsumed_tail) > 0)
print(zlib.crc32(data), zlib.adler32(data))
for module, error in ((zlib, zlib.error), (bz2, OSError), (lzma, lzma.LZMAError), (gzip, gzip.BadGzipFile)):
    try:
        module.decompress(b"this is no archive")
    except error:
        print(module.__name__, "refused")
