from pathlib import Path
p = Path('data') / 'x.csv'
p.parent.mkdir(parents=True, exist_ok=True)
p.write_text('a')
print(p.read_text(), p.exists(), p.suffix)
p.unlink()
