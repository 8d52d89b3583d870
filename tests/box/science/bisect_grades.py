"""Sorted sequences searched by bisection."""
import bisect
import random


def grade(score, limits=(60, 70, 80, 90), grades="FDCBA"):
    return grades[bisect.bisect(limits, score)]


print([grade(s) for s in (33, 60, 77, 89.9, 90, 100)])
rng = random.Random(5)
values = []
for _ in range(200):
    bisect.insort(values, rng.randrange(1000))
print(values == sorted(values), values[:5], values[-3:])
print(bisect.bisect_left([1, 2, 2, 3], 2), bisect.bisect_right([1, 2, 2, 3], 2), bisect.bisect([1, 2], 5, 0, 1))


def longest_increasing(sequence):
    tails = []
    for item in sequence:
        at = bisect.bisect_left(tails, item)
        tails[at:at + 1] = [item]
    return len(tails)


print(longest_increasing([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]), longest_increasing(range(50)))


class Squares:
    def __len__(self):
        return 10 ** 6

    def __getitem__(self, i):
        return i * i


print(bisect.bisect_left(Squares(), 123456789))
