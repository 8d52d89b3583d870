"""Exceptions raised, chained, formatted and walked."""
import io
import sys
import traceback


class AppError(Exception):
    def __init__(self, code, *args):
        super().__init__(code, *args)
        self.code = code


def low():
    return {}["key"]


def middle():
    try:
        low()
    except KeyError as error:
        raise AppError(7, "wrapped") from error


try:
    middle()
except AppError as error:
    print(error.code, error.args, repr(error.__cause__), error.__suppress_context__)
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
    print("".join(traceback.format_exception_only(type(error), error)).strip())
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    print(text.count("Traceback"), "direct cause" in text, "in low" in text)
try:
    try:
        1 / 0
    finally:
        print("finally", sys.exc_info()[0].__name__)
        raise ValueError("during")
except ValueError as error:
    print(repr(error.__context__), error.__cause__)


def order():
    log = []
    for value in (1, 0, "x"):
        try:
            log.append(10 / value)
        except ZeroDivisionError:
            log.append("zero")
            continue
        except (TypeError, ValueError) as e:
            log.append(type(e).__name__)
        else:
            log.append("else")
        finally:
            log.append("finally")
    return log


print(order())


def returns():
    try:
        return "try"
    finally:
        print("cleanup")


print(returns())
try:
    assert 1 == 2, "numbers differ"
except AssertionError as error:
    print(error)
out = io.StringIO()
try:
    raise RuntimeError("shown") from None
except RuntimeError:
    traceback.print_exc(file=out)
print(out.getvalue().splitlines()[-1])


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError:
    print("recursion stopped")
try:
    exit_code = sys.exit(3)
except SystemExit as stop:
    print(stop.code)
