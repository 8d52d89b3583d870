"""Its own examples are checked.

>>> roman(1994)
'MCMXCIV'
>>> [roman(n) for n in (1, 4, 9)]
['I', 'IV', 'IX']
>>> roman(0)
Traceback (most recent call last):
    ...
ValueError: too small
"""
import doctest
import sys

PAIRS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def roman(n):
    """A number in Roman figures.

    >>> roman(2024)
    'MMXXIV'
    >>> roman(3.5)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: ...
    """
    if not isinstance(n, int):
        raise TypeError("whole numbers only")
    if n < 1:
        raise ValueError("too small")
    out = []
    for value, figure in PAIRS:
        count, n = divmod(n, value)
        out.append(figure * count)
    return "".join(out)


def wrong():
    """
    >>> 1 + 1
    3
    """


finder = doctest.DocTestFinder()
here = sys.modules[__name__]
for test in sorted(finder.find(here, "own"), key=lambda t: t.name):
    if test.examples:
        result = doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
        print(test.name, result.failed, result.attempted)
