"""What a zygote does before it stands still, and each fork of it after.

Nothing of a program is ever in the zygote; but whatever the modules have
drawn, counted or remembered by now would be the same in every run, so what
matters of it is made anew here.
"""

import sys


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


def settle():
    """Whatever lives now is not looked at again, so that it stays shared."""
    import gc
    gc.collect()
    gc.freeze()


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


def clock_again():
    logging = sys.modules.get("logging")
    start = getattr(logging, "_startTime", None)
    if start is not None:
        import time
        logging._startTime = (time.time() if isinstance(start, float)
                              else time.time_ns())


def stdin_again():
    """Made for a device; the run's may be a pipe."""
    import io
    old = sys.stdin
    raw = io.open(0, "rb", closefd=False)
    raw.raw.name = "<stdin>"
    new = io.TextIOWrapper(raw, encoding=old.encoding, errors=old.errors,
                           newline="\n")
    new.mode = "r"
    sys.stdin = sys.__stdin__ = new


def let_shadow(baseline):
    """Files of the workspace come before modules that are there ahead."""
    import posix
    for entry in posix.listdir():
        name = entry.partition(".")[0]
        if name not in sys.modules or name in baseline:
            continue
        for loaded in list(sys.modules):
            if loaded == name or loaded.startswith(name + "."):
                del sys.modules[loaded]


def stand(native, modules, threads):
    """Comes back in forks only, one for each run."""
    import os
    baseline = set(sys.modules)
    quiet_platform()
    load(native, modules)
    settle()
    native.serve()
    seed_again()
    clock_again()
    stdin_again()
    let_shadow(baseline)
    # One thread each was for us, so that we have only one.
    for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR"):
        os.environ[name + "_NUM_THREADS"] = threads.decode()
