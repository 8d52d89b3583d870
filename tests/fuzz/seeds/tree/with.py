with (open(a) as b, c, (d, e) as f,): pass
with (a): pass
with (a, b): pass
