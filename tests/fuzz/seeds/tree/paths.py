open('/etc/passwd').read()
open('../x', 'w')
from pathlib import Path
Path('/root').read_text()
