import timeit
class A:
    run = timeit.timeit  # expect: SG115
A.run('x')  # expect: SG115
