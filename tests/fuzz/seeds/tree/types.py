type A[T: int = str, *U, **P] = list[T]
def f[T](a: T) -> T: ...
class C[T](B, m=1): pass
type = 1
type(x)
