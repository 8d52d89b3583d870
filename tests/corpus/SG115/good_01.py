import timeit


def work(n=3):
    return sum(range(n))


print(timeit.timeit(work, number=3), timeit.Timer(lambda: work(9)).timeit(2))
