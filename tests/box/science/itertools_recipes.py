"""Iterators combined: windows, partitions, combinatorics."""
import itertools as it
import operator

print(list(it.accumulate([3, 1, 4, 1, 5], max)), list(it.accumulate(range(1, 8), operator.mul)))
print([("".join(k), len(list(g))) for k, g in it.groupby("aaabbbccd")])
print(list(it.combinations("abcd", 2)), len(list(it.permutations(range(6)))))
print(list(it.combinations_with_replacement([1, 2], 3)), list(it.product("ab", repeat=2)))
print(list(it.chain.from_iterable([[1], (2, 3), {4: 5}])), list(it.compress("abcdef", [1, 0, 1, 0, 1])))
print(list(it.islice(it.count(10, 3), 5)), list(it.islice(it.cycle("xyz"), 7)))
print(list(it.takewhile(lambda n: n < 50, (n * n for n in it.count()))), list(it.dropwhile(str.islower, "abCd")))
print(list(it.zip_longest("abc", range(5), fillvalue="-")), list(it.starmap(pow, [(2, 5), (3, 2)])))
left, right = it.tee(iter(range(6)))
next(right)
print([b - a for a, b in zip(left, right)], list(it.filterfalse(lambda n: n % 3, range(10))))


def primes():
    yield 2
    sieve = {}
    for n in it.count(3, 2):
        step = sieve.pop(n, None)
        if step is None:
            sieve[n * n] = 2 * n
            yield n
        else:
            follow = n + step
            while follow in sieve:
                follow += step
            sieve[follow] = step


print(list(it.islice(primes(), 20)), next(it.islice(primes(), 2000, None)))
