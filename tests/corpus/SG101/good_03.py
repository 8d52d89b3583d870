import sqlite3
c = sqlite3.connect('app.db'); cur = c.cursor(); cur.execute('select 1'); print(cur.fetchall()); c.commit(); c.close()
