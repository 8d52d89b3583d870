a @ b ** -c // ~d << e >> f & g ^ h | i
not a in b is not c not in d
a if b else c
