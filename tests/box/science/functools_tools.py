"""Caches, partials, dispatch, total order."""
import functools
import operator


@functools.lru_cache(maxsize=None)
def partitions(n, largest=None):
    largest = n if largest is None else largest
    if n == 0:
        return 1
    return sum(partitions(n - k, min(k, n - k)) for k in range(1, min(n, largest) + 1))


print([partitions(n) for n in (5, 10, 50, 100)], partitions.cache_info().hits > 0)


@functools.singledispatch
def show(value):
    return f"thing {value!r}"


@show.register
def _(value: int):
    return f"int {value:+d}"


@show.register(list)
@show.register(tuple)
def _(value):
    return "[" + ", ".join(map(show, value)) + "]"


print(show("x"), show(5), show([1, (2, "y")]), show(True))


@functools.total_ordering
class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    def __repr__(self):
        return ".".join(map(str, self.parts))


versions = [Version(v) for v in ("1.10", "1.9", "2.0", "1.9.1")]
print(sorted(versions), max(versions), Version("1.0") >= Version("0.9"))


class Circle:
    def __init__(self, radius):
        self.radius, self.computed = radius, 0

    @functools.cached_property
    def area(self):
        self.computed += 1
        return round(3.14159 * self.radius ** 2, 3)


circle = Circle(2)
print(circle.area, circle.area, circle.computed)
print(functools.reduce(operator.xor, range(100)), functools.partial(int, base=2)("10110"))
print(sorted("banana Apple cherry".split(), key=functools.cmp_to_key(lambda a, b: len(a) - len(b) or (a > b) - (a < b))))
compose = lambda *fs: functools.reduce(lambda f, g: lambda x: g(f(x)), fs)
print(compose(str.strip, str.title, len)("  two words "))
