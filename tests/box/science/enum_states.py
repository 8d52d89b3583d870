"""Enumerations and flags, a state machine on top."""
import enum


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    LIME = 2

    @property
    def pretty(self):
        return self.name.title()


print(list(Color), Color(2), Color["RED"], Color.LIME is Color.GREEN, Color.RED.pretty)
print(sorted(Color.__members__), Color.RED in Color, isinstance(Color.RED, Color))


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    BOTH = READ | WRITE


print(Access.BOTH.value, bool(Access.READ & Access.WRITE), Access.READ in Access.BOTH, (Access.BOTH ^ Access.READ) is Access.WRITE)


class Code(enum.IntEnum):
    OK = 200
    LOST = 404


print(Code.OK + 1, Code.LOST > Code.OK, max(Code).name, int(Code(404)))


@enum.unique
class State(enum.Enum):
    IDLE = "idle"
    BUSY = "busy"
    DONE = "done"

    def next(self):
        order = list(State)
        return order[(order.index(self) + 1) % len(order)]


state, seen = State.IDLE, []
for _ in range(5):
    seen.append(state.value)
    state = state.next()
print(seen)
try:
    State("gone")
except ValueError as error:
    print(error)
try:
    @enum.unique
    class Twice(enum.Enum):
        A = 1
        B = 1
except ValueError:
    print("not unique")
Planet = enum.Enum("Planet", "MERCURY VENUS EARTH")
print([p.value for p in Planet], Planet.EARTH.name)
