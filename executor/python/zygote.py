"""What a zygote does before it stands still, and each fork of it after.

tidy_up() and what it is made of is the driver's; `run` is its only Run.

Nothing of a program is ever in the zygote; but whatever the modules have
drawn, counted or remembered by now would be the same in every run, so what
matters of it is made anew here.
"""

import builtins
import gc
import io
import posix
import sys

REQUEST_FD = 4
WORKSPACE = "/mnt/data"  # of the runs
SCRIPT = b"/mnt/data/script.py"
kept = []
PRACTICE = 12  # runs; eight make CPython think that more will come


def quiet_platform():
    """It would start uname to ask; pandas asks when it is imported."""
    import platform
    processor = getattr(platform, "_Processor", None)
    if processor is not None:
        processor.from_subprocess = staticmethod(lambda: "")


def load(native, modules):
    for name in modules:
        try:
            __import__(name)
        except ImportError:
            native.missing()


# --- first uses --------------------------------------------------------------

TYPICAL = """\
import sys, os, json, re, math, collections, datetime, random
words = collections.Counter(re.findall(r"\\w+", "a b c a b a"))
def area(r: float) -> float:
    return math.pi * r ** 2
class Point:
    def __init__(self, x, y=0):
        self.x, self.y = x, y
try:
    {}["missing"]
except KeyError as e:
    print("no", e)
for i, (k, v) in enumerate(sorted(words.items())):
    print(f"{i}: {k} {v:>5.2f}", [n * n for n in range(9)], sep="\\t")
print(json.dumps({"a": [1, 2.5, None]}, indent=2), json.loads("[1]"))
print(datetime.date(2024, 2, 29).isoformat(), area(2), Point(1).x)
random.random()
"""
SMALL = """\
import json, math
def twice(n):
    return n * 2
for i in range(3):
    print(i, twice(i), [n for n in (1, 2)], f"{i:>3}")
print(json.dumps({"a": [1, 2]}), math.sqrt(2))
"""
TYPICAL_OF = {
    "numpy": """
import numpy as np
a = np.arange(12.0).reshape(3, 4)
print(a.mean(axis=0), (a @ a.T).round(2), np.linalg.norm(a), a.sum())
print(np.random.rand(2, 2).shape, np.sort(a.ravel())[::-1][:3])
""",
    "pandas": """
import pandas as pd
d = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]})
print(d, d.describe(), d.groupby("b").a.sum(), d.a.mean(), sep="\\n")
print(d[d.a > 1].to_dict(), d.sort_values("a").head(2))
""",
    "matplotlib.pyplot": """
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([1, 2, 3], [1, 4, 9], label="n")
ax.set_title("a")
plt.close(fig)
""",
}


def typical(beginning=TYPICAL):
    return beginning + "".join(text for name, text in TYPICAL_OF.items()
                               if name in sys.modules)


def use_pandas(pandas):
    frame = pandas.DataFrame({"a": [1.5, 2.0], "b": ["x", "y"]})
    str(frame), repr(frame.a), frame.describe()
    frame.groupby("b").a.mean(), frame.sort_values("a")
    pandas.read_csv(io.StringIO(frame.to_csv()))
    pandas.to_datetime(["2020-01-01"])


def use_pyplot(pyplot):
    figure, axes = pyplot.subplots()
    axes.plot([0, 1], [0, 1], label="a")
    axes.set(title="a", xlabel="b", ylabel="c")
    axes.legend()
    axes.grid()
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")
    pyplot.close("all")
    # Fonts keep their files open, and are looked for again in each fork.
    manager = sys.modules["matplotlib.font_manager"]
    for name in ("_get_font", "get_font"):
        clear = getattr(getattr(manager, name, None), "cache_clear", None)
        if clear is not None:
            clear()


def practise():
    """From 3.11 on code becomes faster when it has run a few times, and forks
    have it as it is by then."""
    import contextlib
    code = compile(typical(), "typical", "exec")
    for _ in range(PRACTICE):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, {"__name__": "typical"})


def use():
    """Much is only loaded, found or measured when it is used first."""
    import warnings
    calls = {"pandas": use_pandas, "matplotlib.pyplot": use_pyplot}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        practise()
        for name, call in calls.items():
            if name in sys.modules:
                try:
                    call(sys.modules[name])
                except Exception:
                    pass


def settle():
    """Whatever lives now is not looked at again, so that it stays shared."""
    gc.collect()
    gc.freeze()


def is_open(fd):
    try:
        posix.fstat(fd)
    except OSError:
        return False
    return True


def holds_files():
    """A run has none but its own: what is open here is closed there, under
    whoever still means to use it."""
    posix.close(REQUEST_FD)
    # Among them is the folder's own, which is closed again by now.
    seen = [int(name) for name in posix.listdir("/proc/self/fd")]
    return any(fd >= REQUEST_FD and is_open(fd) for fd in seen)


def seed_again():
    """Random state; `random` itself does it when it is forked."""
    mtrand = sys.modules.get("numpy.random.mtrand")
    if mtrand is not None:
        mtrand.seed()
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        # It tells forks by their process id, which is the same in each.
        tempfile._name_sequence = None
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._node = uuid._last_timestamp = None


def thread_again():
    """Before 3.13 the main thread keeps the kernel's number of old."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading.main_thread()._set_native_id()


def clock_again():
    logging = sys.modules.get("logging")
    start = getattr(logging, "_startTime", None)
    if start is not None:
        import time
        logging._startTime = (time.time() if isinstance(start, float)
                              else time.time_ns())


def stdin_again():
    """Made for a device, which it remembers; the run's may be a pipe."""
    try:
        posix.lseek(0, 0, 1)
        return
    except OSError:
        pass
    old = sys.stdin
    raw = io.open(0, "rb", closefd=False)
    raw.raw.name = "<stdin>"
    new = io.TextIOWrapper(raw, encoding=old.encoding, errors=old.errors,
                           newline="\n")
    new.mode = "r"
    sys.stdin = sys.__stdin__ = new


def let_shadow(baseline):
    """Files of the workspace come before modules that are there ahead."""
    for entry in posix.listdir():
        name = entry.partition(".")[0]
        if name not in sys.modules or name in baseline:
            continue
        for loaded in list(sys.modules):
            if loaded == name or loaded.startswith(name + "."):
                del sys.modules[loaded]


def again():
    """What must not be the same in every fork."""
    seed_again()
    thread_again()


def receive(native, baseline, later=b""):
    """The request, when there is an order, and what else is known by then."""
    stdin_again()
    if not native.bare():
        let_shadow(baseline)
    texts = native.request(later)
    clock_again()
    return texts


class NoWalls:
    """What runs that are none have for the native module."""

    def __init__(self, texts=None):
        self.texts = texts

    def bare(self):
        return True

    def request(self, later):
        return list(self.texts)

    def arm(self, guard, script):
        pass

    def start(self, filter):
        pass


def texts_of(run, text):
    """Of the request for a program."""
    return [b"", text.encode(), SCRIPT, b"0 0 0", b"=" if run.guard else b"",
            b""]


def practise_runs(run, baseline, ahead):
    """So is the driver itself, and what its names stand for is at hand; else
    each fork would look that up, and write it down, for itself.

    Nothing may end here, or say anything: descriptor 3 is the control socket.
    """
    native, guard = run.native, run.guard
    frozen = sys.modules["_frozen_importlib"]
    kept = builtins.__import__, frozen._gcd_import, sys.argv
    random = sys.modules.get("random")
    for _ in range(PRACTICE):
        if random is not None:
            random._inst.seed()
        again()
        run.guard = guard
        run.native = NoWalls(texts_of(run, "import sys\nx = 1\n"))
        run.main_module()
        run(receive(run.native, baseline), True)
        flush_standard()
        flush_files()
        drop_modules(ahead)
    run.native, run.guard = native, guard
    builtins.__import__, frozen._gcd_import, sys.argv = kept


def rehearse(native, run, baseline, ahead, text):
    """In a fork that serves nobody."""
    null = posix.open("/dev/null", posix.O_RDWR)
    ours, theirs = posix.pipe()
    for fd in range(REQUEST_FD):
        posix.dup2(null, fd)
    posix.dup2(ours, REQUEST_FD)
    for part in texts_of(run, text):
        posix.write(theirs, len(part).to_bytes(4, "little") + part)
    posix.close(theirs)
    again()
    texts = receive(native, baseline)
    run.native = NoWalls()
    run(texts, True)
    tidy_up(ahead)


def try_out(native, run, baseline, ahead, text):
    """Which pages a program makes its own; see hot.h."""
    number = native.trial()
    if isinstance(number, bytes):
        return number
    try:
        rehearse(native, run, baseline, ahead, text)
    finally:
        native.learn(number)


def learn(native, run, baseline, ahead):
    few = try_out(native, run, baseline, ahead, typical(SMALL))
    many = try_out(native, run, baseline, ahead, typical())
    return native.sort(few, many)


def stand(native, run, request):
    """Comes back in forks only, one for each run: with its request, whether
    its final filter is in place, and the modules that were there ahead."""
    import os
    baseline = set(sys.modules)
    quiet_platform()
    load(native, request[1].decode().split())
    use()
    # One thread each was for us, so that we have only one; so was this.
    os.environ.pop("LD_BIND_NOW", None)
    for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR"):
        os.environ[name + "_NUM_THREADS"] = request[6].decode()
    run.load_late()
    run.prepare(WORKSPACE)
    if request[4]:
        run.make_guard(request[4])
    ahead = set(sys.modules)
    settle()
    practise_runs(run, baseline, ahead)
    settle()
    run.main_module()
    native.fill()
    learnt = learn(native, run, baseline, ahead)
    # Else each fork would take them apart.
    kept.append((baseline, learnt, request))
    fit = not holds_files()
    later = native.later(learnt)
    parked = native.serve(fit, learnt)
    again()
    sealed = native.wait(parked)
    return receive(native, baseline, later), sealed, ahead
