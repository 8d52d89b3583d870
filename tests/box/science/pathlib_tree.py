"""A tree of files built, searched and renamed with pathlib."""
from pathlib import Path, PurePosixPath, PureWindowsPath

root = Path("tree")
for name in ("a.txt", "b.md", "deep/c.txt", "deep/deeper/d.txt"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name.upper() + "\n", encoding="utf-8")
print([p.as_posix() for p in sorted(root.rglob("*.txt"))])
print(sorted(p.name for p in root.iterdir()), [p.name for p in sorted(root.glob("*/*"))])
first = root / "a.txt"
print(first.stem, first.suffix, first.parent, first.with_suffix(".rst"), first.read_bytes())
moved = first.rename(root / "renamed.txt")
print(moved.exists(), first.exists(), moved.stat().st_size, moved.is_file(), root.is_dir())
link = root / "link"
link.symlink_to("renamed.txt")
print(link.is_symlink(), link.resolve().name, link.read_text().strip())
link.unlink()
(root / "touched").touch()
(root / "touched").unlink()
print((root / "deep/../b.md").resolve().name, Path("/usr/lib/../bin").parts, (root / "deep").relative_to("tree"))
print(PurePosixPath("/a/b/c.tar.gz").suffixes, PureWindowsPath(r"C:\x\y.z").drive, PurePosixPath("a") / "/b", PurePosixPath("x/y").match("*/y"))
with moved.open("a") as f:
    f.write("more\n")
print(moved.read_text().splitlines())
