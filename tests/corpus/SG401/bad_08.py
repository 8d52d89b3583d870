from pathlib import Path
print(list(Path('/').iterdir()))  # expect: SG401
