from pathlib import Path
(Path.home()/'.profile').write_text('x')  # expect: SG405, SG504
