from enum import Enum, auto
class E(Enum):
    A = auto(); B = 2
print(E.A.name, E['B'].value, list(E), E.__members__)
