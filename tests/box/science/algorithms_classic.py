"""Knapsack, edit distance, queens, matrices, primes, sorting."""
import random


def knapsack(items, room):
    best = [0] * (room + 1)
    for value, weight in items:
        for r in range(room, weight - 1, -1):
            best[r] = max(best[r], best[r - weight] + value)
    return best[room]


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def queens(n, row=0, columns=0, left=0, right=0):
    if row == n:
        return 1
    count, free = 0, ~(columns | left | right) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free ^= bit
        count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return count


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def fibonacci(n):
    result, base = [[1, 0], [0, 1]], [[1, 1], [1, 0]]
    while n:
        if n & 1:
            result = multiply(result, base)
        base, n = multiply(base, base), n >> 1
    return result[0][1]


def quicksort(items):
    if len(items) < 2:
        return items
    pivot, *rest = items
    return quicksort([x for x in rest if x < pivot]) + [pivot] + quicksort([x for x in rest if x >= pivot])


def sieve(n):
    flags = bytearray([1]) * n
    flags[:2] = b"\0\0"
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, n, i)))
    return [i for i, f in enumerate(flags) if f]


print(knapsack([(60, 10), (100, 20), (120, 30)], 50), distance("kitten", "sitting"), [queens(n) for n in range(1, 9)])
print(fibonacci(10), fibonacci(300), len(sieve(100000)), sieve(40))
numbers = random.Random(1).sample(range(1000), 200)
print(quicksort(numbers) == sorted(numbers), pow(3, 10 ** 18, 10 ** 9 + 7))
words = "listen silent enlist google elgoog abc cab".split()
groups = {}
for word in words:
    groups.setdefault("".join(sorted(word)), []).append(word)
print(sorted(groups.values()))
