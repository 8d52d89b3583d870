"""Context managers: generators, stacks, suppression, redirection."""
import contextlib
import io


@contextlib.contextmanager
def tag(name):
    print(f"<{name}>")
    try:
        yield name.upper()
    except ZeroDivisionError as error:
        print("caught", error)
    finally:
        print(f"</{name}>")


with tag("a") as a, tag("b") as b:
    print(a, b)
with tag("c"):
    1 / 0


@tag("decorated")
def work():
    print("inside")


work()
with contextlib.ExitStack() as stack:
    names = [stack.enter_context(tag(n)) for n in "xy"]
    stack.callback(print, "callback")
    print(names)
with contextlib.suppress(FileNotFoundError):
    open("no/such/file")
    print("not reached")
out = io.StringIO()
with contextlib.redirect_stdout(out):
    print("captured")
print(repr(out.getvalue()))


class Thing:
    def close(self):
        print("closed")


with contextlib.closing(Thing()), contextlib.nullcontext(5) as five:
    print(five)


class Door(contextlib.ContextDecorator):
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, kind, value, trace):
        print("exit", kind and kind.__name__)
        return kind is KeyError


with Door():
    {}["missing"]
