"""A script that looks at its own functions and classes."""
import inspect


def area(width: float, height: float = 1.0, *, unit: str = "m", **more) -> str:
    """Area with its unit.

    Extra names are kept.
    """
    return f"{width * height}{unit}"


def walk(n):
    for i in range(n):
        got = yield i
        if got:
            return got


class Base:
    "A base."

    def hello(self): ...


class Child(Base):
    @classmethod
    def make(cls): ...

    @staticmethod
    def helper(a, /, b): ...

    @property
    def size(self): ...


signature = inspect.signature(area)
print(signature, [(p.name, p.kind.name, p.default is not p.empty) for p in signature.parameters.values()])
bound = signature.bind(2, unit="cm", extra=1)
bound.apply_defaults()
print(bound.arguments, area(*bound.args, **bound.kwargs))
try:
    signature.bind()
except TypeError as error:
    print(error)
print(inspect.getdoc(area).splitlines(), inspect.getdoc(Child), inspect.isgeneratorfunction(walk))
generator = walk(3)
print(inspect.getgeneratorstate(generator), next(generator), inspect.getgeneratorstate(generator), inspect.getgeneratorlocals(generator))
print([name for name, _ in inspect.getmembers(Child) if not name.startswith("__")], [c.__name__ for c in inspect.getmro(Child)])
print(inspect.signature(Child.helper), inspect.isfunction(area), inspect.ismethod(Child().hello), inspect.isclass(Base))
print(area.__annotations__["return"], area.__defaults__, area.__kwdefaults__, area.__code__.co_varnames)
print(inspect.currentframe().f_code.co_name, inspect.cleandoc("  a\n    b\n    c"))


def outer():
    n = 5

    def inner():
        return n
    return inspect.getclosurevars(inner).nonlocals


print(outer(), inspect.isbuiltin(len), inspect.iscoroutinefunction(outer))
print(inspect.getsource(walk).splitlines()[0])
