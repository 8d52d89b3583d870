"""Descriptors, metaclasses, slots and special methods."""


class Positive:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return self if instance is None else instance.__dict__[self.name]

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(f"{self.name} must be positive")
        instance.__dict__[self.name] = value


class Registry(type):
    known = {}

    def __new__(mcls, name, bases, space, **options):
        cls = super().__new__(mcls, name, bases, space)
        mcls.known[options.get("key", name.lower())] = cls
        return cls

    def __init__(cls, name, bases, space, **options):
        super().__init__(name, bases, space)

    def __len__(cls):
        return len(cls.known)


class Product(metaclass=Registry, key="p"):
    price = Positive()
    weight = Positive()

    def __init__(self, price, weight):
        self.price, self.weight = price, weight

    def __init_subclass__(cls, **options):
        super().__init_subclass__()


class Book(Product):
    pass


print(sorted(Registry.known), len(Product), Book(3, 2).price, isinstance(Product.price, Positive))
try:
    Book(0, 1)
except ValueError as error:
    print(error)


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o): return Vector(self.x + o.x, self.y + o.y)
    def __mul__(self, k): return Vector(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __neg__(self): return self * -1
    def __abs__(self): return (self @ self) ** 0.5
    def __bool__(self): return bool(self.x or self.y)
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
    def __hash__(self): return hash((self.x, self.y))
    def __iter__(self): yield from (self.x, self.y)
    def __repr__(self): return f"Vector({self.x}, {self.y})"
    def __format__(self, spec): return "<" + ", ".join(format(v, spec) for v in self) + ">"


v = Vector(3, 4)
print(v + Vector(1, 1), 2 * v, v @ v, -v, abs(v), bool(Vector(0, 0)), f"{v:.1f}", len({v, Vector(3, 4)}), tuple(v))
try:
    v.z = 1
except AttributeError:
    print("no such slot")


class Lazy:
    def __getattr__(self, name):
        value = name.upper()
        setattr(self, name, value)
        return value

    def __call__(self, *args):
        return len(args)

    def __contains__(self, item):
        return item == 42

    def __getitem__(self, key):
        return key


lazy = Lazy()
print(lazy.abc, lazy.__dict__, lazy(1, 2), 42 in lazy, lazy[1:2, ...])
