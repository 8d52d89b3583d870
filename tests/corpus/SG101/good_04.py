import timeit
start = timeit.default_timer(); print(timeit.default_timer()-start)
