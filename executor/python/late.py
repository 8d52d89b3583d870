"""The parts of the driver that not every run needs.

Kept apart because compiling them costs more than most programs take.
"""

import sys

TEXT_MAX = 60 * 1024


def text(value, limit=TEXT_MAX):
    """Bytes with their length in front, cut to the limit."""
    data = value.encode("utf-8", "replace")[:limit]
    return len(data).to_bytes(4, "little") + data


def keep_ends(value, limit=TEXT_MAX):
    if len(value) <= limit:
        return value
    half = limit // 2
    return value[:half] + "\n[...]\n" + value[-half:]


# --- value -------------------------------------------------------------------

def type_name(value):
    kind = type(value)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return kind.__module__ + "." + kind.__qualname__


def option(run, at):
    """One of the numbers in the request: bytes of a value, images, bytes of
    an image."""
    return int(run.options.split()[at])


def send_value(run, value):
    shown = repr(value)
    data = shown.encode("utf-8", "backslashreplace")
    most = option(run, 0)
    cut = len(data) > most
    data = data[:most]
    run.send(b"V", b"\1" if cut else b"\0", text(type_name(value), 200),
             len(data).to_bytes(4, "little"), data)


# --- figures -----------------------------------------------------------------

def send_png(run, data):
    if run.images >= option(run, 1) or len(data) > option(run, 2):
        run.dropped += 1
        run.send(b"D", run.dropped.to_bytes(4, "little"))
        return
    run.images += 1
    run.send(b"I", data)


def send_figures(run):
    """Every open figure as a PNG, oldest first; none stays open."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    pyplot = sys.modules.get("matplotlib.pyplot")
    if helpers is None or pyplot is None:
        return
    import io
    for number in sorted(helpers.Gcf.figs):
        manager = helpers.Gcf.figs.get(number)
        if manager is None:
            continue
        if run.images >= option(run, 1):
            run.dropped += 1
            run.send(b"D", run.dropped.to_bytes(4, "little"))
        else:
            out = io.BytesIO()
            manager.canvas.figure.savefig(out, format="png",
                                          bbox_inches="tight")
            send_png(run, out.getvalue())
        pyplot.close(number)


def pyplot_loaded(run, module):
    def show(*args, **kwargs):
        """Hands the open figures over and closes them."""
        send_figures(run)

    show.__module__ = "matplotlib.pyplot"
    module.show = show
    figure = sys.modules.get("matplotlib.figure")
    if figure is not None:
        # A figure's own show() would only warn that there is no window.
        figure.Figure.show = lambda self, warn=True: None


# --- errors ------------------------------------------------------------------

def user_part(run, tb):
    """The traceback without the driver's own frames at its top."""
    while tb is not None and tb.tb_frame.f_code.co_filename == run.driver:
        tb = tb.tb_next
    return tb


def error_line(run, error, tb):
    """The line of the program at which the error passed through it last."""
    line = 0
    if isinstance(error, SyntaxError) and error.filename == run.name:
        return error.lineno or 0
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == run.name:
            line = tb.tb_lineno or 0
        tb = tb.tb_next
    return line


def format_error(run, error, tb):
    import linecache
    import traceback
    run.give_source(linecache)
    tb = user_part(run, tb)
    if tb is None and error.__cause__ is None and error.__context__ is None:
        lines = traceback.format_exception_only(type(error), error)
    else:
        lines = traceback.format_exception(type(error), error, tb)
    return "".join(lines)


def safe_str(value):
    try:
        return str(value)
    except BaseException:
        return "<str() of the exception failed>"


def send_error(run, error, shown, line):
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = kind.__module__ + "." + name
    run.send(b"E", max(line, 0).to_bytes(4, "little"), text(name, 200),
             text(keep_ends(safe_str(error))), text(keep_ends(shown)))


def report(run, error):
    tb = error.__traceback__
    shown = format_error(run, error, tb)
    line = error_line(run, error, tb)
    hook = sys.excepthook
    if hook is not sys.__excepthook__:
        hook(type(error), error, user_part(run, tb))
    elif sys.stderr is not None:
        sys.stderr.write(shown)
        sys.stderr.flush()
    send_error(run, error, shown, line)
    if isinstance(error, ModuleNotFoundError) and error.name:
        run.send(b"H", module_hint(error.name).encode("utf-8", "replace"))


def thread_failed(run, args):
    """What threading.excepthook() does, with the program's lines."""
    if args.exc_type is SystemExit or sys.stderr is None:
        return
    name = args.thread.name if args.thread else "?"
    shown = format_error(run, args.exc_value, args.exc_traceback)
    sys.stderr.write("Exception in thread %s:\n%s" % (name, shown))
    sys.stderr.flush()


def failed(run, error):
    """Reports an exception that the program let go; the exit status."""
    try:
        report(run, error)
    except MemoryError:
        # Whatever the program still holds is in the way of telling.
        line = error_line(run, error, error.__traceback__)
        error.__traceback__ = None
        sys.modules["__main__"].__dict__.clear()
        shown = "%s\n" % type(error).__name__
        sys.stderr.write(shown)
        send_error(run, error, shown, line)
    if "matplotlib.pyplot" in sys.modules:
        try:
            send_figures(run)
        except BaseException:
            pass
    if isinstance(error, KeyboardInterrupt):
        # Ends the interpreter as it would any program: by the signal.
        sys.excepthook = lambda *args: None
        raise error
    return 1


def exit_status(run, error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xff
    if sys.stderr is not None:
        sys.stderr.write(safe_str(code) + "\n")
        sys.stderr.flush()
    return 1


# --- modules -----------------------------------------------------------------

def available():
    """Names of top-level modules that could be imported."""
    import os
    names = set(sys.builtin_module_names)
    names.update(getattr(sys, "stdlib_module_names", ()))
    for folder in sys.path:
        try:
            entries = os.listdir(folder)
        except OSError:
            continue
        for entry in entries:
            name, dot, ending = entry.partition(".")
            if name.isidentifier() and ending in ("", "py", "abi3.so"):
                names.add(name)
    return {n for n in names if not n.startswith("_")}


COMMON = ("numpy", "pandas", "matplotlib", "scipy", "sympy", "sklearn",
          "statsmodels", "seaborn", "PIL", "networkx", "yaml", "requests")


def module_hint(name):
    import difflib
    top = name.partition(".")[0]
    names = available()
    hint = "'%s' is not installed, and nothing can be installed." % name
    near = difflib.get_close_matches(top, sorted(names), 3, 0.75)
    if near and top not in names:
        hint += " Did you mean %s?" % " or ".join("'%s'" % n for n in near)
    others = [n for n in COMMON if n in names]
    if others:
        hint += (" Available beside the standard library: %s."
                 % ", ".join(others))
    else:
        hint += " Use the standard library."
    return hint[:1000]
