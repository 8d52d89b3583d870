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
LIBRARY = (sys.prefix + "/", sys.base_prefix + "/")
SIGN = "__sandgate__"
KNOWN = b"="  # for the table of the guard: the zygote's
FUTURE = 0x1fe0000  # what may stand in the flags of code


def load_native(folder):
    import _imp
    spec = type(sys.__spec__)("_sandgate", None,
                              origin=folder + "/_sandgate.abi3.so")
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    return module


class Source:
    """Gives inspect and traceback the text of the program."""

    text = ""

    def get_source(self, name):
        return self.text if name == "__main__" else None


class Hook:
    """Lets the driver see a few modules once they are loaded."""

    def __init__(self, run):
        self.seen = {
            "linecache": run.linecache_loaded,
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
    """One program, from its text to its exit status.

    prepare() is for what is the same whatever the program is: a zygote does
    it once, so that its forks need not.
    """

    def __init__(self, posix, native):
        self.native = native
        self.write_fd = posix.write
        self.folder = __file__.rpartition("/")[0]
        self.driver = main.__code__.co_filename
        self.name = self.code = ""
        self.images = self.dropped = 0
        self.late_names = self.linecache = self.guard = None

    def prepare(self, workspace):
        sys.path.insert(0, workspace)
        sys.meta_path.insert(0, Hook(self))
        sys.stdout.reconfigure(line_buffering=True)

    def load_late(self):
        names = {"__name__": "_sandgate_late", "__builtins__": __builtins__}
        exec(load_part(self.folder, "late", True), names)
        self.late_names = names

    def late(self, name):
        if self.late_names is None:
            self.load_late()
        return self.late_names[name]

    def linecache_loaded(self, linecache):
        self.linecache = linecache
        if self.name:
            self.give_source(linecache)

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
        """Nobody may have told the collector to leave this alone."""
        self.source = Source()
        module = type(sys)("__main__")
        module.__dict__.update(
            __builtins__=builtins, __file__="", __loader__=self.source)
        sys.modules["__main__"] = module
        self.names = module.__dict__

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

    def make_guard(self, table):
        """A module that is there already is imported without an event."""
        guard, checked = self.native.guard(table), self.native.checked
        frozen = sys.modules["_frozen_importlib"]
        self.guard = (guard, checked(guard, builtins.__import__, 4),
                      checked(guard, frozen._gcd_import, 2))

    def set_guard(self, table):
        if table != KNOWN:
            self.make_guard(table)
        guard, builtins.__import__, gcd = self.guard
        sys.modules["_frozen_importlib"]._gcd_import = gcd
        self.native.arm(guard, self.name.encode())
        self.guard = None

    def set_env(self, env):
        import os
        for item in env.split(b"\0")[:-1]:
            name, _, value = item.partition(b"=")
            os.environb[name] = value
        if b"TZ=" in env:
            import time
            time.tzset()

    def write_source(self):
        """Whoever opens __file__ wants to read what it runs."""
        try:
            with open(self.name, "x", encoding="utf-8", newline="") as f:
                f.write(self.code)
        except OSError:
            pass

    def start(self, texts, sealed):
        """Takes the request and closes the box; the program's names."""
        code = self.code = self.source.text = texts[1].decode("utf-8")
        name = self.name = texts[2].decode("utf-8", "replace")
        self.options = texts[3]
        self.names["__file__"] = name
        if self.linecache:
            self.give_source(self.linecache)
        if texts[5]:
            self.set_env(texts[5])
        if "__file__" in code:
            self.write_source()
        sys.argv = [name]
        for text in texts[6:]:
            sys.argv.append(text.decode("utf-8", "surrogateescape"))
        if texts[4]:
            self.set_guard(texts[4])
        # Whatever it makes must be gone when its module is.
        names, self.names = self.names, None
        self.native.start(None if sealed else texts[0])
        return names

    def finish(self, value):
        if value is not None:
            self.late("send_value")(self, value)
        if "matplotlib.pyplot" in sys.modules:
            self.late("send_figures")(self)

    def __call__(self, texts, sealed):
        """The exit status, or None when an exception is to end us."""
        names = self.start(texts, sealed)
        texts.clear()
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
    native = load_native(__file__.rpartition("/")[0])
    texts = native.request(b"")
    run = Run(posix, native)
    forked, sealed = not texts[0], False
    if forked:
        names = {"__name__": "_sandgate_zygote",
                 "__builtins__": __builtins__, "tidy_up": tidy_up,
                 "flush_standard": flush_standard,
                 "flush_files": flush_files, "drop_modules": drop_modules}
        exec(load_part(run.folder, "zygote"), names)
        texts, sealed, ahead = names["stand"](native, run, texts)
    else:
        ahead = set(sys.modules)
        gc.freeze()
        run.prepare(posix.getcwd())
        run.main_module()
    status = run(texts, sealed)
    # Threads that go on would see modules go: the interpreter stops them.
    if forked or not _thread._count():
        native.leave(status if tidy_up(ahead) else 120)
    return status


status = main()
if status:
    sys.exit(status)
