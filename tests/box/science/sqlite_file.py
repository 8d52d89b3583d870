"""A database file: blobs, journal modes, two connections, backup."""
import os
import sqlite3

path = "notes.db"
with sqlite3.connect(path) as db:
    print(db.execute("PRAGMA journal_mode=WAL").fetchone()[0])
    db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, body BLOB, tag TEXT)")
    db.executemany("INSERT INTO note (body, tag) VALUES (?, ?)", [(bytes([i]) * i * 100, f"t{i % 3}") for i in range(30)])
db.close()
first, second = sqlite3.connect(path, isolation_level=None), sqlite3.connect(path)
first.execute("BEGIN")
first.execute("DELETE FROM note WHERE tag = 't0'")
print(second.execute("SELECT COUNT(*) FROM note").fetchone())
first.execute("COMMIT")
print(second.execute("SELECT COUNT(*) FROM note").fetchone())
print(second.execute("SELECT tag, COUNT(*), MAX(LENGTH(body)) FROM note GROUP BY tag ORDER BY tag").fetchall())
second.execute("CREATE INDEX by_tag ON note (tag)")
print(second.execute("PRAGMA integrity_check").fetchone())
copy = sqlite3.connect("copy.db")
second.commit()
second.backup(copy)
print(copy.execute("SELECT COUNT(*) FROM note WHERE tag LIKE 't%'").fetchone())
for db in (first, second, copy):
    db.close()
with open(path, "rb") as f:
    print(f.read(15), os.path.getsize(path) % 4096)
try:
    sqlite3.connect("file:none.db?mode=ro", uri=True)
except sqlite3.OperationalError as error:
    print(error)
