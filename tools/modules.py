#!/usr/bin/env python3
"""Lists what the modules of an interpreter are made of, for name resolution.

usage: modules.py collect [PACKAGE ...]     rows of this interpreter, on stdout
       modules.py merge FILE ...            one table of several collections

`collect` without packages lists the standard library; run it with each
CPython that is supported.  With packages it lists those (numpy, pandas ...),
and of their submodules only what leads out of the package or is public under
a shorter name.

A row is: module, name, flags, target, bases (tabs between, `-` for empty).
Flags: m module, c class, f callable, o other; p when a star import brings it.
Target: the canonical dotted name when the name is only one of several ways to
the thing.  Bases: of a class, foreign ones only, comma-separated.
`merge` prefers the first file given where two disagree.
"""
import contextlib
import importlib
import io
import os
import pkgutil
import sys
import types
import warnings

SKIP_TOP = {
    "antigravity", "this", "idlelib", "turtledemo", "test", "__phello__",
    "__hello__", "_testcapi", "_testinternalcapi", "_testbuffer", "_xxtestfuzz",
    "_testimportmultiple", "_testmultiphase", "_testclinic", "_testsinglephase",
    "_testclinic_limited", "_testlimitedcapi", "_testexternalinspection",
    "_ctypes_test", "xxlimited", "xxlimited_35", "xxsubtype", "__main__",
    "lib2to3", "pip", "setuptools", "turtle",
}
CALLABLE = (types.FunctionType, types.BuiltinFunctionType,
            types.MethodDescriptorType, types.MethodType)
# How a module is known when its own name is not the one people write.
KNOWN_AS = {"posixpath": "os.path"}
# Where what is defined in a module is looked for instead.
HOMES = {"genericpath": "os.path"}
# The name people write, of several that are equally good.
PREFERRED = {"weakref.ref", "unittest.main", "hashlib.md5", "hashlib.sha1",
             "hashlib.sha224", "hashlib.sha256", "hashlib.sha384",
             "hashlib.sha512", "xml.etree.ElementTree.fromstring"}
# Modules that throw the names of others together.
HEAPS = {"matplotlib.pylab", "numpy.matlib", "pylab"}
# Low-level twins: their names stay, what leads to them is named elsewhere.
TWINS = {"posix", "nt"}


def known(name):
    return KNOWN_AS.get(name, name)


def wanted(name):
    parts = name.split(".")
    return not (parts[0] in SKIP_TOP or "tests" in parts or "test" in parts
                or "__main__" in parts or parts[-1] == "conftest"
                or "_pytesttester" in parts)


def load(name):
    with contextlib.redirect_stdout(io.StringIO()), \
            contextlib.redirect_stderr(io.StringIO()):
        try:
            return importlib.import_module(name)
        except BaseException:
            return None


def module_names(packages):
    tops = packages or sorted(
        set(getattr(sys, "stdlib_module_names", ())) | {"builtins"}
        | set(sys.builtin_module_names) | stdlib_by_folder())
    for top in tops:
        if not wanted(top):
            continue
        module = load(top)
        if module is None:
            continue
        yield top, module
        if not hasattr(module, "__path__"):
            continue
        found = pkgutil.walk_packages(module.__path__, top + ".",
                                      onerror=lambda _: None)
        for info in found:
            if wanted(info.name):
                sub = load(info.name)
                if sub is not None:
                    yield info.name, sub


def stdlib_by_folder():
    folder = os.path.dirname(os.__file__)
    names = {i.name for i in pkgutil.iter_modules([folder])}
    dyn = os.path.join(folder, "lib-dynload")
    return names | {i.name for i in pkgutil.iter_modules([dyn])}


def members(module):
    names = set(vars(module)) | set(getattr(module, "__all__", ()))
    for name in sorted(names):
        if not name.isidentifier() or name in (
                "__builtins__", "__doc__", "__name__", "__file__",
                "__cached__", "__package__", "__path__", "__all__",
                "__loader__", "__spec__", "__warningregistry__"):
            continue
        try:
            yield name, getattr(module, name)
        except BaseException:
            continue


def starred(module, name):
    exported = getattr(module, "__all__", None)
    if exported is not None:
        return name in exported
    return not name.startswith("_")


def rank(path, value):
    """Smaller is the better name for `value`."""
    module, _, name = path.rpartition(".")
    home = known(getattr(value, "__module__", None) or "")
    home = HOMES.get(home, home)
    public_home = home.lstrip("_")
    return (path not in PREFERRED, module != "builtins",
            home == "builtins" and module != "types",
            any(p.startswith("_") for p in path.split(".")),
            module in HEAPS, name != getattr(value, "__name__", name),
            module.split(".")[0] not in (public_home.split(".")[0], "os"
                                         if home in TWINS else ""),
            path.count("."), module != home, path)


def collect(packages):
    modules, where, kept = {}, {}, []
    for name, module in module_names(packages):
        if getattr(module, "__name__", "") in (name, "posixpath"):
            modules[known(name)] = module
    for name, module in modules.items():
        for attr, value in members(module):
            if isinstance(value, (type,) + CALLABLE):
                if isinstance(value, types.MethodType):
                    continue
                kept.append(value)
                where.setdefault(id(value), []).append(f"{name}.{attr}")
    best = {}
    for value in kept:
        paths = [p for p in where[id(value)] if p.split(".")[0] not in TWINS]
        if paths and len(where[id(value)]) > 1:
            best[id(value)] = min(paths, key=lambda p: rank(p, value))
    rows = []
    for name, module in modules.items():
        for attr, value in members(module):
            row = describe(name, module, attr, value, best, packages)
            if row:
                rows.append(row)
    for low, public in KNOWN_AS.items():
        rows.append(("-", low, "m", public, "-"))
    return rows


def describe(name, module, attr, value, best, packages):
    path = f"{name}.{attr}"
    flags, target, bases = "o", "-", "-"
    if isinstance(value, types.ModuleType):
        flags = "m"
        real = known(getattr(value, "__name__", ""))
        if real != path and real in sys.modules:
            target = real
    elif isinstance(value, type):
        flags = "c"
        bases = base_names(value, best)
    elif callable(value):
        flags = "f"
    if flags in "cf" and name.split(".")[0] not in TWINS:
        other = best.get(id(value), path)
        target = other if other != path else "-"
    if flags == "o" and attr.isupper():
        return None  # constants: a star import finds them unlisted
    if starred(module, attr):
        flags += "p"
    deep = packages and "." in name
    leads_out = target != "-" and (
        target.split(".")[0] != name.split(".")[0]
        or target.count(".") < path.count(".") and flags[0] in "cf")
    if target == "-" and "p" not in flags and flags[0] != "m" \
            and name != "builtins" and (attr.startswith("_")
                                        or flags[0] == "o"):
        return None
    if deep and not leads_out:
        return None
    return (name, attr, flags, target, bases)


def base_names(value, best):
    out = []
    for base in value.__bases__:
        if base is object or issubclass(base, BaseException):
            continue
        home = known(base.__module__)
        out.append(best.get(id(base), f"{home}.{base.__qualname__}"))
    return ",".join(o for o in out if "<" not in o) or "-"


def merge(files):
    rows = {}
    for file in files:
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                row = line.rstrip("\n").split("\t")
                old = rows.setdefault((row[0], row[1]), row)
                if "p" in row[2] and "p" not in old[2]:
                    old[2] += "p"
    for (module, name), row in list(rows.items()):
        # What is home in one version may be an alias in another.
        other = tuple(row[3].rpartition(".")[::2])
        if other in rows and rows[other][3] == f"{module}.{name}":
            row[3] = "-"
    return list(rows.values())


def main():
    warnings.simplefilter("ignore")
    if len(sys.argv) < 2 or sys.argv[1] not in ("collect", "merge"):
        sys.exit(__doc__)
    rest = sys.argv[2:]
    rows = collect(rest) if sys.argv[1] == "collect" else merge(rest)
    out = sys.stdout
    for row in sorted(rows):
        out.write("\t".join(row) + "\n")
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
