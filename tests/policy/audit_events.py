"""Which public callables of the standard library raise audit events, and
which of them have no capability?

    audit_events.py SANDGATE

Functions in Python say it in their source: sys.audit("name", ...).  Functions
in C say it in the interpreter and its modules, as text; a name found there
counts when it is the name of a callable.
"""
import ast
import importlib
import json
import os
import re
import subprocess
import sys
import sysconfig

# Events of callables that do nothing worth a capability, and why.
HARMLESS = {
    "builtins.id": "a number",
    "sys.getsizeof": "a number",
    "select.poll": "waits for descriptors it is given",
}
# Modules that are no part of an installation for scripts.
SKIP = {"test", "idlelib", "lib2to3", "turtledemo", "distutils", "ensurepip",
        "__pycache__", "site-packages", "dist-packages"}


def python_events(folder):
    """Yields dotted names of functions whose source calls sys.audit()."""
    for root, dirs, files in os.walk(folder):
        dirs[:] = [d for d in dirs if d not in SKIP]
        for name in files:
            if not name.endswith(".py"):
                continue
            path = os.path.join(root, name)
            module = os.path.relpath(path, folder)[:-3].replace(os.sep, ".")
            module = re.sub(r"\.__init__$", "", module)
            try:
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                tree = ast.parse(text) if "sys.audit" in text else None
            except (SyntaxError, UnicodeDecodeError):
                continue
            if tree is not None:
                yield from of_module(module, tree)


def of_module(module, tree):
    stack = [(tree, module)]
    while stack:
        node, name = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef,
                                  ast.ClassDef)):
                stack.append((child, name + "." + child.name))
            elif isinstance(child, ast.Call) and name != module and \
                    ast.unparse(child.func) == "sys.audit":
                yield name
                stack.append((child, name))
            else:
                stack.append((child, name))


def binaries():
    yield os.path.realpath(sys.executable)
    library = sysconfig.get_config_var("INSTSONAME") or ""
    folder = sysconfig.get_config_var("LIBDIR") or ""
    yield os.path.join(folder, library)
    dynamic = sysconfig.get_config_var("DESTSHARED") or ""
    if os.path.isdir(dynamic):
        for name in os.listdir(dynamic):
            yield os.path.join(dynamic, name)


def native_events():
    """Yields names in the binaries that are names of callables."""
    word = re.compile(rb"(?<![\w.])([a-z_]+(?:\.[A-Za-z_]+){1,2})\0")
    names = set()
    for path in binaries():
        try:
            with open(path, "rb") as f:
                names.update(m.decode() for m in word.findall(f.read()))
        except OSError:
            continue
    for name in sorted(names):
        module, _, attr = name.partition(".")
        if is_public(name) and is_function(module, attr):
            yield name


def is_function(module, attr):
    """Types are named in the binaries for other reasons: not counted."""
    try:
        value = importlib.import_module(module)
        for part in attr.split("."):
            value = getattr(value, part)
    except Exception:
        return False
    return callable(value) and not isinstance(value, type)


def is_public(name):
    return not any(p.startswith("_") for p in name.split("."))


def uncovered(sandgate, names):
    """Those for which the gate names no capability when they are mentioned."""
    rows = []
    for name in names:
        module = name
        while True:
            module = module.rpartition(".")[0]
            try:
                importlib.import_module(module)
                break
            except Exception:
                if not module:
                    break
        rows.append(json.dumps({
            "name": name, "code": "import %s\nx = %s\n" % (module, name)}))
    done = subprocess.run([sandgate, "filter", "--text-key", "code"],
                          input="\n".join(rows) + "\n", text=True, check=True,
                          stdout=subprocess.PIPE)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if not row["sandgate"]["capabilities"]:
            yield row["name"]


def main():
    folder = sysconfig.get_path("stdlib")
    names = {n for n in python_events(folder) if is_public(n)}
    native = {n for n in native_events() if is_public(n)}
    wanted = sorted((names | native) - set(HARMLESS))
    missing = list(uncovered(sys.argv[1], wanted))
    for name in missing:
        print("%s raises an audit event and has no capability" % name)
    print("%s: %d callables raise audit events, %d without a capability"
          % (sys.version.split()[0], len(wanted), len(missing)))
    print("%d passed, %d failed" % (len(wanted) - len(missing), len(missing)))
    if len(wanted) < 60:
        sys.exit("too few were found: the search is broken")
    sys.exit(bool(missing))


main()
