if (n := len(x)) > 3: print(n)
[y := 1, y**2]
