import tempfile
with tempfile.TemporaryDirectory() as d: print(d)
with tempfile.NamedTemporaryFile('w', suffix='.txt', delete=False) as f: f.write('x')
