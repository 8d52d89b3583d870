import sqlite3
sqlite3.connect("/var/lib/x.db")  # expect: SG401, SG402
