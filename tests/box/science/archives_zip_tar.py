"""Archives made, listed and unpacked in the working directory."""
import io
import os
import shutil
import tarfile
import zipfile

os.makedirs("src/sub", exist_ok=True)
for name, text in (("src/a.txt", "alpha\n" * 20), ("src/sub/b.txt", "beta\n"), ("src/sub/empty", "")):
    with open(name, "w") as f:
        f.write(text)
with zipfile.ZipFile("out.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for folder, _, files in sorted(os.walk("src")):
        for name in sorted(files):
            z.write(os.path.join(folder, name))
    z.writestr("made/up.txt", "no file before")
with zipfile.ZipFile("out.zip") as z:
    print(z.namelist(), z.testzip(), z.read("src/sub/b.txt"), z.getinfo("src/a.txt").file_size)
    z.extractall("unzipped")
print(open("unzipped/made/up.txt").read(), zipfile.is_zipfile("out.zip"))


def plain(info):
    info.mtime, info.uid, info.gid, info.uname, info.gname = 0, 0, 0, "", ""
    return info


for mode in ("gz", "bz2", "xz"):
    with tarfile.open("out.tar." + mode, "w:" + mode) as t:
        t.add("src", filter=plain)
    with tarfile.open("out.tar." + mode) as t:
        print(mode, sorted(t.getnames()), t.extractfile("src/sub/b.txt").read())
memory = io.BytesIO()
with tarfile.open(fileobj=memory, mode="w") as t:
    info = tarfile.TarInfo("hello.txt")
    info.size = 5
    t.addfile(info, io.BytesIO(b"hello"))
memory.seek(0)
print(tarfile.open(fileobj=memory).getmember("hello.txt").size)
shutil.make_archive("again", "zip", "src")
shutil.unpack_archive("again.zip", "again")
print(sorted(os.listdir("again")), sorted(os.listdir("again/sub")))
