import functools
import inspect


@functools.singledispatch
def show(x):
    return x


@show.register
def _(x: int):
    return -x


print(inspect.signature(show), show(3))
