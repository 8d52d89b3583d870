"""A small shop in SQLite memory: joins, windows, functions, transactions."""
import sqlite3

db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
db.executescript("""
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE, price REAL CHECK (price > 0));
    CREATE TABLE sale (item INTEGER REFERENCES item, day TEXT, count INTEGER);
""")
db.executemany("INSERT INTO item (name, price) VALUES (?, ?)", [("pen", 1.5), ("book", 12.0), ("lamp", 30.25)])
db.executemany("INSERT INTO sale VALUES (?, ?, ?)", [(1 + i % 3, f"2024-01-{1 + i % 4:02}", i % 5 + 1) for i in range(20)])
db.commit()
for row in db.execute("SELECT name, SUM(count) n, SUM(count * price) total FROM sale JOIN item ON item.id = item GROUP BY name ORDER BY name"):
    print(dict(row))
for row in db.execute("""SELECT day, SUM(count) c, SUM(SUM(count)) OVER (ORDER BY day) running FROM sale GROUP BY day ORDER BY day"""):
    print(tuple(row))


class Median:
    def __init__(self):
        self.values = []

    def step(self, value):
        self.values.append(value)

    def finalize(self):
        return sorted(self.values)[len(self.values) // 2]


db.create_aggregate("median", 1, Median)
db.create_function("reverse", 1, lambda s: s[::-1], deterministic=True)
db.create_collation("tail", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
print(db.execute("SELECT median(count), reverse('drawer') FROM sale").fetchone()[:])
print([r[0] for r in db.execute("SELECT name FROM item ORDER BY name COLLATE tail")])
try:
    with db:
        db.execute("UPDATE item SET price = 99 WHERE name = 'pen'")
        db.execute("INSERT INTO item (name, price) VALUES ('book', 1)")
except sqlite3.IntegrityError as error:
    print(error)
print(db.execute("SELECT price FROM item WHERE name = :name", {"name": "pen"}).fetchone()["price"])
print(db.execute("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x * 2 FROM n WHERE x < 500) SELECT group_concat(x) FROM n").fetchone()[0])
print(len(list(db.iterdump())), db.total_changes > 0)
