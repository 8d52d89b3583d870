"""Closures, decorators with arguments, scopes."""
import functools
import time


def counter(start=0):
    value = start

    def step(by=1):
        nonlocal value
        value += by
        return value

    step.reset = lambda: step(start - value)
    return step


tick = counter(10)
print(tick(), tick(5), tick.reset(), tick())


def retry(times, catch=Exception):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            for attempt in range(1, times + 1):
                try:
                    return attempt, f(*args, **kwargs)
                except catch:
                    time.sleep(0)
            return times, None
        return inner
    return wrap


outcomes = iter([ValueError, ValueError, None])


@retry(5, ValueError)
def flaky(x):
    """May fail."""
    error = next(outcomes)
    if error:
        raise error
    return x * 2


print(flaky(21), flaky.__name__, flaky.__doc__, flaky.__wrapped__ is not flaky)
print([f() for f in [lambda: i for i in range(3)]], [f() for f in [lambda i=i: i for i in range(3)]])


def memo(f):
    known = {}

    def inner(n):
        if n not in known:
            known[n] = f(n)
        return known[n]
    inner.known = known
    return inner


@memo
def steps(n):
    return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)


print(max((steps(n), n) for n in range(1, 3000)), len(steps.known) > 3000)
x = "module"


def scopes():
    x = "function"

    class C:
        x = "class"
        seen = [x for _ in range(1)]

        def method(self):
            return x
    return C.seen, C().method(), C.x


print(scopes(), x, (lambda *a, k=1, **o: (a, k, sorted(o)))(1, 2, k=3, z=4))


def positional(a, b, /, c, *, d):
    return a, b, c, d


print(positional(1, 2, c=3, d=4))
try:
    positional(a=1, b=2, c=3, d=4)
except TypeError:
    print("positional only")
print(sorted(globals().keys() & {"x", "tick", "counter"}), [y := 3, y ** 2])
