a, *b = c
*a, = b
print(*a, **b)
for x in *a, b: pass
return_ = *a, b
a[*b]
