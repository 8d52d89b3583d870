"""Text decoded piece by piece, errors handled, streams recoded."""
import codecs
import io

data = "Zoë €5 \U0001f40d".encode("utf-8")
decoder = codecs.getincrementaldecoder("utf-8")()
print([decoder.decode(bytes([b])) for b in data], decoder.decode(b"", final=True) == "")
print(list(codecs.iterdecode([data[:3], data[3:]], "utf-8")), codecs.lookup("latin1").name)


def numbers(error):
    return "".join(f"[{ord(c)}]" for c in error.object[error.start:error.end]), error.end


codecs.register_error("numbers", numbers)
for handler in ("ignore", "replace", "backslashreplace", "xmlcharrefreplace", "namereplace", "numbers"):
    print(handler, "aé€".encode("ascii", handler))
print(b"a\xff\xfeb".decode("utf-8", "surrogateescape").encode("utf-8", "surrogateescape"), b"\xffa".decode("utf-8", "backslashreplace"))
for name in ("utf-16", "utf-16-be", "utf-32-le", "utf-7", "utf-8-sig", "cp437", "koi8-r", "shift_jis", "gb18030"):
    text = "Привет" if name == "koi8-r" else "é" if name == "cp437" else "日本"
    print(name, text.encode(name).hex(), text.encode(name).decode(name) == text)
print(codecs.encode("Hello", "rot13"), codecs.encode(b"hi", "hex"), codecs.BOM_UTF8)
raw = io.BytesIO("naïve\n".encode("latin-1"))
print(codecs.EncodedFile(raw, "utf-8", "latin-1").read())
with codecs.open("out.txt", "w", "utf-16") as f:
    f.write("wide")
print(open("out.txt", "rb").read()[2:], open("out.txt", encoding="utf-16").read())
try:
    "é".encode("ascii")
except UnicodeEncodeError as error:
    print(error.encoding, error.start, error.reason)
print("x".encode("punycode"), "bücher.example".encode("idna"), "\\u00e9".encode().decode("unicode_escape"))
