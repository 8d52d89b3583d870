"""Temporary files and directories; their names are not printed."""
import os
import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "note.txt")
    with open(path, "w") as f:
        f.write("kept for a moment")
    print(os.listdir(folder), os.path.getsize(path))
print(os.path.exists(folder))
with tempfile.TemporaryFile("w+") as f:
    f.write("a\nb\nc\n")
    f.seek(2)
    print(f.readlines())
with tempfile.NamedTemporaryFile(suffix=".csv", prefix="run-") as f:
    f.write(b"1,2\n")
    f.flush()
    print(os.path.basename(f.name).startswith("run-"), f.name.endswith(".csv"), os.path.getsize(f.name))
print(os.path.exists(f.name))
with tempfile.SpooledTemporaryFile(max_size=10) as f:
    f.write(b"0123456789")
    f.write(b"more than the spool holds")
    f.seek(0)
    print(len(f.read()))
handle, path = tempfile.mkstemp(dir=".")
os.write(handle, b"low level")
os.close(handle)
with open(path, "rb") as f:
    print(f.read())
os.unlink(path)
print(os.path.isdir(tempfile.gettempdir()), os.access(tempfile.gettempdir(), os.W_OK))
