"""Data classes: defaults, order, frozen, replace, post-init."""
import dataclasses
from dataclasses import dataclass, field, asdict, astuple, replace
from typing import ClassVar, List


@dataclass(order=True)
class Item:
    sort_key: float = field(init=False, repr=False)
    name: str
    price: float = 0.0
    tags: List[str] = field(default_factory=list, compare=False)
    count: ClassVar[int] = 0

    def __post_init__(self):
        self.sort_key = -self.price
        Item.count += 1


items = [Item("pen", 2.5), Item("desk", 150, ["wood"]), Item("lamp", 30)]
print(sorted(items), Item.count)
print(asdict(items[1]), astuple(items[0]))


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


p = Point(1) + Point(2, 3)
print(p, replace(p, y=9), {Point(1): "a"}[Point(1, 0)], len({Point(1), Point(1)}))
try:
    p.x = 5
except dataclasses.FrozenInstanceError as error:
    print(error)
print([(f.name, f.type if isinstance(f.type, str) else f.type.__name__) for f in dataclasses.fields(Point)])


@dataclass
class Base:
    a: int
    b: int = 2


@dataclass
class Derived(Base):
    c: dataclasses.InitVar[int] = 0

    def __post_init__(self, c):
        self.b += c


print(Derived(1, 2, 3), Derived(1) == Derived(1, 2), dataclasses.is_dataclass(Base))
Made = dataclasses.make_dataclass("Made", [("n", int), ("m", int, field(default=7))], namespace={"total": lambda s: s.n + s.m})
print(Made(3), Made(3).total())
