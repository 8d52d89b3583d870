[a for b in c if d for e in f]
{a: b for c in d}
{a async for b in c}
(a for a in b)
