from pathlib import Path

root = Path("/mnt/data")
for _ in range(2):
    root = root / ".."  # expect: SG401
for entry in (root / "etc").glob("*.conf"):
    print(entry.read_text())
