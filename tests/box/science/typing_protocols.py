"""Generic types, protocols and hints at run time."""
import typing
from typing import Any, Callable, Dict, Generic, List, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []

    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self

    def pop(self) -> Optional[T]:
        return self.items.pop() if self.items else None


stack: Stack[int] = Stack[int]().push(1).push(2)
print(stack.pop(), stack.pop(), stack.pop())


@typing.runtime_checkable
class Sized(Protocol):
    def __len__(self) -> int: ...


print(isinstance([], Sized), isinstance(5, Sized))


class Employee(NamedTuple):
    name: str
    age: int = 30


class Movie(TypedDict, total=False):
    title: str
    year: int


print(Employee("Ann"), Employee("Bob", 4)._asdict(), Movie(title="M", year=1931))


def apply(f: Callable[[int], T], values: List[int], *rest: Any, **named: Dict[str, Union[int, str]]) -> List[T]:
    return [f(v) for v in values]


hints = typing.get_type_hints(apply)
print(sorted(hints), typing.get_origin(hints["values"]), typing.get_args(Dict[str, int]))
print(apply(lambda v: v * "ab", [1, 2]), typing.cast(int, "x"), Optional[int] == Union[int, None])
UserId = typing.NewType("UserId", int)
print(UserId(5) + 1, typing.get_type_hints(Employee), list[int].__args__)
