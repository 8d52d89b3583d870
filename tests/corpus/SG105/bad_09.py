import sqlite3
c=sqlite3.connect(':memory:')
c.enable_load_extension(True)  # expect: SG105
