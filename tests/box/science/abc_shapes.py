"""Abstract classes, virtual subclasses, method order."""
import abc
import collections.abc
import math


class Shape(abc.ABC):
    @property
    @abc.abstractmethod
    def area(self): ...

    @abc.abstractmethod
    def scale(self, factor): ...

    def __lt__(self, other):
        return self.area < other.area

    def __repr__(self):
        return f"{type(self).__name__}({self.area:.2f})"


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    @property
    def area(self):
        return math.pi * self.r ** 2

    def scale(self, factor):
        return Circle(self.r * factor)


class Box(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    area = property(lambda self: self.w * self.h)

    def scale(self, factor):
        return Box(self.w * factor, self.h * factor)


print(sorted([Circle(1), Box(2, 3), Box(1, 1).scale(1.5)]))
try:
    Shape()
except TypeError:
    print("abstract", sorted(Shape.__abstractmethods__))


class Ring(collections.abc.MutableSequence):
    def __init__(self, items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i % len(self.items)]

    def __setitem__(self, i, value):
        self.items[i % len(self.items)] = value

    def __delitem__(self, i):
        del self.items[i % len(self.items)]

    def insert(self, i, value):
        self.items.insert(i, value)


ring = Ring("abc")
ring.append("d")
ring += "ef"
ring[7] = "B"
ring.reverse()
print(ring.items, ring[-1], ring[100], "c" in ring, ring.index("d"), ring.pop())


class Left:
    def who(self):
        return ["left"]


class Right:
    def who(self):
        return ["right"]


class Both(Left, Right):
    def who(self):
        return ["both"] + super().who() + super(Left, self).who()


print(Both().who(), [c.__name__ for c in Both.__mro__])
collections.abc.Sized.register(Left)
print(issubclass(Left, collections.abc.Sized), isinstance({}, collections.abc.Mapping))
