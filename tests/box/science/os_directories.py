"""Directories through os: list, scan, walk, low-level files."""
import os
import stat

os.makedirs("data/raw/2024", exist_ok=True)
os.mkdir("data/clean")
for name in ("data/raw/x.txt", "data/raw/2024/y.txt", "data/clean/z.txt"):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, name.encode())
    os.close(fd)
print(sorted(os.listdir("data")), sorted(e.name for e in os.scandir("data/raw") if e.is_file()))
for folder, folders, files in os.walk("data"):
    folders.sort()
    print(folder, sorted(files))
try:
    os.mkdir("data")
except FileExistsError as error:
    print(error.strerror, error.filename)
try:
    os.rmdir("data/raw")
except OSError as error:
    print(type(error).__name__)
info = os.stat("data/raw/x.txt")
print(info.st_size, stat.S_ISREG(info.st_mode), stat.filemode(info.st_mode))
os.utime("data/raw/x.txt", (1000, 2000))
print(os.path.getmtime("data/raw/x.txt"))
os.link("data/raw/x.txt", "hard")
print(os.stat("hard").st_nlink, os.path.samefile("hard", "data/raw/x.txt"))
os.symlink("hard", "soft")
print(os.readlink("soft"), os.path.islink("soft"), os.path.exists("nowhere"))
os.truncate("hard", 4)
fd = os.open("hard", os.O_RDWR)
os.lseek(fd, 2, os.SEEK_SET)
print(os.read(fd, 10), os.fstat(fd).st_size)
os.close(fd)
os.remove("soft")
here = os.getcwd()
os.chdir("data")
print(os.path.relpath("raw", ".."), os.path.basename(os.getcwd()))
os.chdir(here)
print(os.environ.get("NO_SUCH_VARIABLE", "default"), os.sep, os.linesep == "\n", os.fspath("p"))
