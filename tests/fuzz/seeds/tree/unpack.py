(a, [b, *c], (d.e, f[0])) = g
for (a, b), c in d: pass
