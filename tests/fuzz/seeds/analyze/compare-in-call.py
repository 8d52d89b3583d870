def g(f,a): f(a == 1)
