from pathlib import Path
print((Path('/')/'etc'/'passwd').read_text())  # expect: SG401
