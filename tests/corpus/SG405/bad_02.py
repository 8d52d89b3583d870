from pathlib import Path
rc = Path.home() / '.bashrc'  # expect: SG405, SG504
rc.open('a').write('x')
