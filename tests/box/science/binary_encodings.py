"""Bytes as text: base 16 to 85, quoted printable, percent signs."""
import base64
import binascii
import quopri
import urllib.parse

data = bytes(range(0, 256, 5)) + "é€".encode()
for name in ("b16", "b32", "b64", "urlsafe_b64", "b85", "a85"):
    encoded = getattr(base64, name + "encode")(data)
    print(name, len(encoded), encoded[:24], getattr(base64, name + "decode")(encoded) == data)
print(binascii.hexlify(data[:6], ":"), binascii.crc32(data), binascii.unhexlify("00ff10"))
print(quopri.encodestring("Überraschung = 50%".encode()), quopri.decodestring(b"a=3Db"))
print(urllib.parse.quote("a b/é?&"), urllib.parse.unquote_plus("a+b%20c"), bytes.fromhex("de ad be ef").hex("-", 2))
try:
    base64.b64decode("abc", validate=True)
except binascii.Error as error:
    print("bad:", error)
print("naïve".encode("latin-1"), "naïve".encode("ascii", "xmlcharrefreplace"), b"\xff\xfea\x00".decode("utf-16"))
print("\u20ac".encode("utf-8"), "x\u0301".encode("utf-16-le"), b"\xe9".decode("cp1252"), b"a\xffb".decode("utf-8", "replace"))
