# needs: 3.10
"""Structural pattern matching over shapes, commands and trees."""
from dataclasses import dataclass


@dataclass
class Num:
    value: float


@dataclass
class Bin:
    op: str
    left: object
    right: object


def simplify(node):
    match node:
        case Bin("+", Num(0), other) | Bin("+", other, Num(0)):
            return simplify(other)
        case Bin("*", Num(0), _) | Bin("*", _, Num(0)):
            return Num(0)
        case Bin("*", Num(1), x) | Bin("*", x, Num(1)):
            return simplify(x)
        case Bin(op, Num(a), Num(b)):
            return Num(a + b if op == "+" else a * b)
        case Bin(op, left, right):
            new = Bin(op, simplify(left), simplify(right))
            return new if new == node else simplify(new)
        case _:
            return node


print(simplify(Bin("+", Bin("*", Num(1), "x"), Num(0))))
print(simplify(Bin("*", Bin("+", Num(2), Num(3)), Bin("*", Num(0), "y"))))


def command(text):
    match text.split():
        case []:
            return "nothing"
        case ["go", ("north" | "south") as way]:
            return f"walk {way}"
        case ["take", *things] if things:
            return f"take {len(things)}: {things[-1]}"
        case [word]:
            return f"alone {word}"
        case [first, *_, last]:
            return f"{first}..{last}"


print([command(t) for t in ("", "go north", "go up", "take", "take a b", "x y z")])


def kind(value):
    match value:
        case bool():
            return "bool"
        case int(n) if n < 0:
            return "negative"
        case int() | float():
            return "number"
        case {"type": "point", "x": x, "y": y, **rest}:
            return (x, y, rest)
        case (a, b):
            return "pair", a, b
        case str() as s if s:
            return s[0]
        case None:
            return "none"
        case _:
            return "other"


print([kind(v) for v in (True, -3, 2.5, {"type": "point", "x": 1, "y": 2, "z": 3}, [1, 2], "word", None, {}, b"")])
match = {"case": 1}
match["type"] = 2
print(match)
