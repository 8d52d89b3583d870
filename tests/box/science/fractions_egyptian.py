"""Exact fractions: Egyptian sums, continued fractions, best approximations."""
import math
from fractions import Fraction


def egyptian(value):
    while value:
        unit = Fraction(1, math.ceil(1 / value))
        yield unit
        value -= unit


def continued(value, limit):
    while limit:
        whole = math.floor(value)
        yield whole
        if value == whole:
            return
        value = 1 / (value - whole)
        limit -= 1


for value in (Fraction(5, 6), Fraction(7, 15), Fraction(13, 17)):
    parts = list(egyptian(value))
    print(value, "=", " + ".join(map(str, parts)), sum(parts) == value)
print(list(continued(Fraction(415, 93), 10)))
for bound in (10, 100, 1000, 10000):
    print(bound, Fraction(math.pi).limit_denominator(bound))
harmonic = sum((Fraction(1, n) for n in range(1, 21)), Fraction(0))
print(harmonic, float(harmonic))
print(Fraction("3.125"), Fraction("-7/21"), Fraction(1, 3) ** -3, round(Fraction(7, 2)), divmod(Fraction(7, 2), Fraction(2, 3)))
