a: int
b.c: str = 1
(d): int
e[0]: "x" = 2
