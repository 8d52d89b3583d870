import sqlite3
sqlite3.connect('/etc/x.db')  # expect: SG401, SG402
