"""Run in the box: prints what can be imported there, as JSON."""
import json
import os
import pkgutil
import sys
from importlib import metadata


def public(names):
    """Names that an import statement can spell, sorted, private ones out."""
    return sorted({n for n in names
                   if n.isidentifier() and not n.startswith("_")})


def modules_of(dist):
    """The top-level modules that a distribution brings."""
    listed = (dist.read_text("top_level.txt") or "").split()
    if listed:
        return public(name.split("/")[0] for name in listed)
    found = set()
    for path in dist.files or ():
        first = path.parts[0]
        if len(path.parts) > 1:
            if str(path).endswith((".py", ".so")):
                found.add(first)
        elif first.endswith((".py", ".so")):
            found.add(first.split(".")[0])
    return public(found)


def standard_library():
    names = getattr(sys, "stdlib_module_names", None)
    if names is None:
        home = os.path.dirname(os.__file__)
        names = set(sys.builtin_module_names)
        names.update(m.name for m in pkgutil.iter_modules(
            [home, os.path.join(home, "lib-dynload")]))
    return public(names)


def packages():
    found = {}
    for dist in metadata.distributions():
        name = dist.metadata["Name"]
        if name and name.lower() not in found:
            found[name.lower()] = {
                "name": name,
                "version": dist.version or "",
                "modules": modules_of(dist),
            }
    return [found[key] for key in sorted(found)]


print(json.dumps({"packages": packages(),
                  "standard_library": standard_library()}))
