from typing import List, Dict, Optional, TypeVar, Generic, NamedTuple, TypedDict, Protocol
T = TypeVar('T')
class Stack(Generic[T]):
    def __init__(self) -> None: self.items: List[T] = []
    def push(self, x: T) -> None: self.items.append(x)
class P(NamedTuple):
    x: int = 0
print(P(1)._asdict(), P(1)._replace(x=2))
