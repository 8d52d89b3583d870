"""Runs one program in the box: asked on descriptor 4, answers on 3.

A request without a filter makes a zygote of it: it imports what the request
names, then stands still and forks.  Each fork goes on as if it had just been
started, with a request of its own; see zygote.py.

Everything here runs before the program or after it, in the same interpreter;
what it says is therefore only as good as the program lets it be, and the
supervisor takes it as such.  Whatever is not needed by every run is in
late.py, which is compiled when it is needed.
"""

# All of it here: a program may leave no import system behind.
import _thread
import _weakref
import atexit
import builtins
import gc
import io
import sys

# A copy: what the program does to the real ones must not reach these lines.
__builtins__ = dict(builtins.__dict__)

RESULT_FD = 3
REQUEST_FD = 4
LIBRARY = (sys.prefix + "/", sys.base_prefix + "/")
SIGN = "__sandgate__"
FUTURE = 0x1fe0000  # what may stand in the flags of code


def read_request(posix):
    """The texts of the request, in order."""
    parts = []
    while True:
        part = posix.read(REQUEST_FD, 1 << 16)
        if not part:
            break
        parts.append(part)
    data = b"".join(parts)
    texts = []
    at = 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], "little")
        texts.append(data[at + 4:end])
        at = end
    return texts


def load_native(folder):
    import _imp
    spec = type(sys.__spec__)("_sandgate", None,
                              origin=folder + "/_sandgate.abi3.so")
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    return module


class Source:
    """Gives inspect and traceback the text of the program."""

    def __init__(self, text):
        self.text = text

    def get_source(self, name):
        return self.text if name == "__main__" else None


class Hook:
    """Lets the driver see a few modules once they are loaded."""

    def __init__(self, run):
        self.seen = {
            "linecache": run.give_source,
            "matplotlib.pyplot": lambda m: run.late("pyplot_loaded")(run, m),
            "platform": run.platform_loaded,
            "threading": run.threading_loaded,
        }
        for name, call in self.seen.items():
            if name in sys.modules:
                call(sys.modules[name])

    def find_spec(self, name, path=None, target=None):
        call = self.seen.get(name)
        if call is None:
            return None
        for finder in sys.meta_path:
            if finder is self:
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                break
        else:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            call(module)

        try:
            spec.loader.exec_module = exec_module
        except AttributeError:
            pass
        return spec


class Run:
    """One program, from its text to its exit status."""

    def __init__(self, texts, posix, native, late, sealed=False):
        options = [int(n) for n in texts[3].split()]
        self.native = native
        self.filter = None if sealed else texts[0]
        self.code = texts[1].decode("utf-8")
        self.name = texts[2].decode("utf-8", "replace")
        self.value_max, self.images_max, self.image_max = options
        self.guard = texts[4]
        self.env = texts[5]
        self.argv = [t.decode("utf-8", "surrogateescape") for t in texts[6:]]
        self.images = self.dropped = 0
        self.write_fd = posix.write
        self.folder = __file__.rpartition("/")[0]
        self.driver = main.__code__.co_filename
        self.late_code = late
        self.late_names = None

    def late(self, name):
        if self.late_names is None:
            code = self.late_code or load_part(self.folder, "late", True)
            self.late_names = {"__name__": "_sandgate_late",
                               "__builtins__": __builtins__}
            exec(code, self.late_names)
        return self.late_names[name]

    def give_source(self, linecache):
        """For tracebacks and warnings; there is no file to read."""
        linecache.cache[self.name] = (
            len(self.code), None, self.code.splitlines(True), self.name)

    def threading_loaded(self, threading):
        threading.excepthook = (
            lambda args: self.late("thread_failed")(self, args))

    def platform_loaded(self, platform):
        """It would start uname to ask; pandas asks when it is imported."""
        processor = getattr(platform, "_Processor", None)
        if processor is not None:
            processor.from_subprocess = staticmethod(lambda: "")

    def send(self, kind, *parts):
        data = b"".join(parts)
        data = kind + len(data).to_bytes(4, "little") + data
        try:
            while data:
                data = data[self.write_fd(RESULT_FD, data):]
        except OSError:
            pass

    def main_module(self):
        module = type(sys)("__main__")
        module.__dict__.update(
            __builtins__=builtins, __file__=self.name,
            __loader__=Source(self.code))
        sys.modules["__main__"] = module
        return module.__dict__

    def split(self):
        """The code before the last statement and that of it, from the text.

        The last line at the margin begins it.  Where what is before that
        line and what it begins are each a whole program, nothing was open
        between them, and both are in the program what they are alone.
        """
        text = self.code.rstrip(" \t\n")
        at = len(text)
        while at and (text[at:at + 1] in " \t\n#)]}" or text.startswith(
                ("else", "elif", "except", "finally"), at)):
            at = text.rfind("\n", 0, at - 1) + 1
        before, tail = text[:at], text[at:]
        # Other ends of lines; and what may be warned of, but only once.
        if ("\r" in text or "\f" in text or before.endswith("\\\n") or
                "\\" in tail.replace("\\n", "").replace("\\t", "")):
            return None
        padded = "\n" * before.count("\n") + tail
        last = self.compiled(padded, "eval")
        mode = "eval" if last else "exec"
        # With one of these an expression might still be the last.
        if not (last or ";" in tail or "*" in tail or "global" in tail):
            last = self.compiled(padded, "exec")
        code = last and self.compiled(before, "exec")
        # What `from __future__` switches on holds for the last one too.
        if code and code.co_flags & FUTURE:
            last = self.compiled(padded, mode, code.co_flags & FUTURE)
        # Before 3.14 each annotation is a statement like any other.
        if not code or not last or "__annotate__" in last.co_names:
            return None
        return code, last

    def compiled(self, text, mode, flags=0):
        try:
            return compile(text, self.name, mode, flags, True)
        except SyntaxError:
            return None

    def parse(self):
        """As split(), for every program; making the classes of syntax trees
        takes longer than most run."""
        import _ast
        tree = compile(self.code, self.name, "exec", _ast.PyCF_ONLY_AST, True)
        last = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            last = tree.body.pop()
        code = compile(tree, self.name, "exec", 0, True)
        if last is not None:
            last = compile(_ast.Expression(last.value), self.name, "eval",
                           code.co_flags & FUTURE, True)
        return code, last

    def execute(self, names):
        """The value of the last statement, if it is an expression."""
        code, last = self.split() or self.parse()
        exec(code, names)
        return None if last is None else eval(last, names)

    def set_guard(self):
        """A module that is there already is imported without an event."""
        checked = self.native.guard(self.guard, self.name.encode())
        builtins.__import__ = checked(builtins.__import__, 4)
        frozen = sys.modules["_frozen_importlib"]
        frozen._gcd_import = checked(frozen._gcd_import, 2)

    def set_env(self):
        import os
        for item in self.env.split(b"\0")[:-1]:
            name, _, value = item.partition(b"=")
            os.environb[name] = value
        if b"TZ=" in self.env:
            import time
            time.tzset()

    def write_source(self):
        """Whoever opens __file__ wants to read what it runs."""
        try:
            with open(self.name, "x", encoding="utf-8", newline="") as f:
                f.write(self.code)
        except OSError:
            pass

    def start(self):
        if self.env:
            self.set_env()
        if "__file__" in self.code:
            self.write_source()
        sys.argv = [self.name] + self.argv
        sys.path.insert(0, sys.modules["posix"].getcwd())
        sys.meta_path.insert(0, Hook(self))
        sys.stdout.reconfigure(line_buffering=True)
        names = self.main_module()
        if self.guard:
            self.set_guard()
        if self.filter is None:
            self.native.close_up()
        else:
            self.native.lockdown(self.filter)
        self.filter = self.guard = None
        self.send(b"S")
        return names

    def finish(self, value):
        if value is not None:
            self.late("send_value")(self, value)
        if "matplotlib.pyplot" in sys.modules:
            self.late("send_figures")(self)

    def __call__(self):
        """The exit status, or None when an exception is to end us."""
        names = self.start()
        try:
            self.finish(self.execute(names))
            return 0
        except SystemExit as e:
            if "matplotlib.pyplot" in sys.modules:
                self.late("send_figures")(self)
            return self.late("exit_status")(self, e)
        except BaseException as e:
            return self.late("failed")(self, e)


# --- the end -----------------------------------------------------------------

def drop_names(module):
    """As the interpreter does: private names first, then the others."""
    names = module.__dict__
    for private in (True, False):
        for name in list(names):
            if name == "__builtins__" or name not in names:
                continue
            if not private or (name[0] == "_" and name[1:2] != "_"):
                names[name] = None


def is_own(module):
    """False for modules of the interpreter, and those installed for it."""
    names = module.__dict__
    file = names.get("__file__")
    if type(file) is str:
        return not file.startswith(LIBRARY)
    return names.get("__name__") not in sys.builtin_module_names


def drop_modules(ahead):
    """Whatever the program has made ends here, but for what it has hidden
    in modules that were there before it.

    A sign among the names of its own modules goes when nothing in use needs
    them any more.  Then nothing of the program is left, and the modules that
    it has loaded may stay: taking them apart takes longer than loading them.
    """
    names = ["__main__"]
    # The newest come first; looking at one of a zygote's would copy it.
    for name in reversed(sys.modules):
        if name in ahead:
            break
        names.append(name)
    signs, dropped = [], []
    for own in True, False:
        for name in names:
            module = sys.modules.get(name)
            if type(module) is not type(sys) or own and not is_own(module):
                continue
            if own:
                sign = module.__dict__[SIGN] = set()
                signs.append(_weakref.ref(sign))
            dropped.append(_weakref.ref(module))
            del sys.modules[name]
        module = sign = None
        gc.collect()
        if all(sign() is None for sign in signs):
            return
    for module in dropped:
        if module() is not None:
            drop_names(module())
    gc.collect()


def flush_files():
    kinds = {io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom}
    for file in [o for o in gc.get_objects() if type(o) in kinds]:
        try:
            if not file.closed:
                file.flush()
        except Exception:
            pass


def flush_standard():
    """False when what was printed cannot be written."""
    good = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:
            good = False
    return good


def tidy_up(ahead):
    """What the interpreter does at its end, less taking itself apart: that
    takes long, and in a fork it would write to every page that is still
    shared.  False when what was printed cannot be written."""
    good = False
    try:
        threading = sys.modules.get("threading")
        if threading is not None:
            threading._shutdown()
        try:
            atexit._run_exitfuncs()
        except BaseException:
            pass  # Until 3.9 the last of those that were printed comes here.
        good = flush_standard()
        # A collection may close what a text file stands on before the file.
        flush_files()
        # Threads that go on would see their modules go, and complain.
        if not _thread._count():
            drop_modules(ahead)
        flush_files()
        good = flush_standard() and good
    except BaseException:
        good = flush_standard() and good
    return good


def load_part(folder, name, compiled=False):
    """The code of another file of the driver."""
    path = folder + "/importlib_bootstrap_" + name + ".py"
    if compiled and __file__.endswith("c"):
        # We are byte code ourselves, and so is it.
        import marshal
        with open(path + "c", "rb") as f:
            return marshal.loads(f.read()[16:])
    with open(path, encoding="utf-8") as f:
        return compile(f.read(), path, "exec")


def main():
    import posix
    texts = read_request(posix)
    folder = __file__.rpartition("/")[0]
    native = load_native(folder)

    def end(status, ahead):
        native.leave(status if tidy_up(ahead) else 120)

    late = leave = None
    sealed = False
    if not texts[0]:
        late = load_part(folder, "late", True)
        names = {"__name__": "_sandgate_zygote",
                 "__builtins__": __builtins__,
                 "tidy_up": tidy_up, "leave": end}
        exec(load_part(folder, "zygote"), names)
        sealed, begin, leave = names["stand"](
            native, names["rehearsal"](Run, late), texts[1].decode().split(),
            texts[6])
        texts = read_request(posix)
        begin()
    else:
        ahead = set(sys.modules)
        gc.freeze()
    run = Run(texts, posix, native, late, sealed)
    texts = None
    status = run()
    if leave is not None:
        leave(status)
    # Threads that go on would see modules go: the interpreter stops them.
    if not _thread._count():
        end(status, ahead)
    return status


status = main()
if status:
    sys.exit(status)
