"""Files and trees copied, moved and removed."""
import filecmp
import fnmatch
import glob
import os
import shutil

os.makedirs(os.path.join("one", "two", "three"))
for i in range(3):
    with open(os.path.join("one", "two", f"file{i}.dat"), "wb") as f:
        f.write(bytes([i]) * 100)
open("one/skip.tmp", "w").close()
shutil.copytree("one", "copy", ignore=shutil.ignore_patterns("*.tmp"))
print([(d, sorted(s), sorted(f)) for d, s, f in sorted(os.walk("copy"))])
shutil.copy2("one/two/file1.dat", "solo.dat")
print(filecmp.cmp("one/two/file1.dat", "solo.dat", shallow=False), filecmp.cmp("one/two/file0.dat", "solo.dat", shallow=False))
shutil.move("solo.dat", "copy/moved.dat")
print(os.path.exists("solo.dat"), sorted(glob.glob("copy/**/*.dat", recursive=True)))
compared = filecmp.dircmp("one", "copy")
print(compared.left_only, compared.right_only, compared.common_dirs)
shutil.rmtree("one")
print(sorted(os.listdir(".")), fnmatch.filter(["a.py", "b.pyc", "c.py"], "*.py"))
os.chmod("copy/moved.dat", 0o640)
print(oct(os.stat("copy/moved.dat").st_mode & 0o777), os.path.splitext("x/y.tar.gz"), os.path.commonpath(["a/b/c", "a/b/d"]))
os.replace("copy/moved.dat", "copy/final.dat")
os.removedirs("copy/two/three")
with open("sparse", "wb") as f:
    f.truncate(10000)
print(os.path.getsize("sparse"), shutil.disk_usage(".").total > 0, os.path.normpath("a//b/../c"), os.path.isabs("a"))
