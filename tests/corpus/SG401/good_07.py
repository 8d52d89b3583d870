from pathlib import Path

out = Path("out").resolve() / "report"
out.mkdir(parents=True, exist_ok=True)
for name in ("a", "b"):
    target = (out / name / ".." / name).with_suffix(".txt")
    target.parent.mkdir(exist_ok=True)
    target.write_text(str(Path("/mnt/data") / "raw" / ".." / name))
print(sorted(p.name for p in out.parent.iterdir()))
