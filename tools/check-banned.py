#!/usr/bin/env python3
"""Checks that nothing calls what must not be called.

    check-banned.py OBJECTS LAYER...

Looks twice: at the symbols that the object files of the layers want (so
that no macro hides a call), and at the words of their sources (so that no
optimisation hides one: compilers turn strcpy() into memcpy()).
"""

import glob
import os
import re
import subprocess
import sys

# Unbounded, not reentrant, or running a shell.
ANYWHERE = """
strcpy strcat stpcpy sprintf vsprintf strtok strncpy strncat gets scanf
atoi atol atoll atof system popen alloca signal tmpnam tempnam
mktemp gmtime localtime ctime asctime rand srand random srandom setjmp
longjmp readdir_r getpwnam getpwuid getlogin usleep
""".split()
# A library says what went wrong by value.
LIBRARY = """
printf vprintf puts putchar perror exit abort stdout stderr
err errx warn warnx syslog
""".split()

# The wardens of warm runs share a zygote's memory, so what they are made of
# may want nothing that has a state of its own, errno above all.
SHARED = "order spare steps warden workspace".split()
STATELESS = """
_exit memchr memcmp memcpy memset snprintf stack_chk_fail strlen
""".split()
# Ours, in other objects: what the worker or a cold run alone does, and
# what only the supervisor does with an order.
ELSEWHERE = """
sg_buf_add sg_buf_str sg_caps_drop sg_root_build sg_root_inputs
sg_root_parents sg_root_seal sg_root_workspace sg_str_slice sg_worker_main
sg_worker_wait
""".split()

# Comments and literals, in one go so that neither hides the other.
NOT_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"
                          |'(?:\\.|[^'\\\n])*'|^[ \t]*\#[ \t]*include[^\n]*""",
                      re.S | re.M | re.X)
CALL = re.compile(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(")


def banned(layer):
    return set(ANYWHERE) | (set(LIBRARY) if layer != "cmd" else set())


def wanted(path):
    """Undefined symbols of an object, hardened names brought back."""
    out = subprocess.run(["nm", "-u", path], check=True, text=True,
                         capture_output=True).stdout
    for name in re.findall(r"\bU (\S+)", out):
        name = name.split("@")[0]
        m = re.fullmatch(r"__(?:isoc99_|isoc23_)?(\w+?)(?:_chk)?", name)
        yield m.group(1) if m else name


def source_faults(path, names):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    blank = NOT_CODE.sub(
        lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    for m in CALL.finditer(blank):
        if m.group(1) in names:
            yield "%s:%d: calls %s" % (
                path, blank.count("\n", 0, m.start()) + 1, m.group(1))


def defined(path):
    out = subprocess.run(["nm", "--defined-only", path], check=True,
                         text=True, capture_output=True).stdout
    return set(re.findall(r"\bT (\S+)", out))


def shared_faults(objects):
    paths = [os.path.join(objects, "executor", name + ".o")
             for name in SHARED]
    good = set(STATELESS) | set(ELSEWHERE)
    there = [path for path in paths if os.path.exists(path)]
    for path in there:
        good |= defined(path)
    for path in set(paths) - set(there):
        yield "no object '%s'" % path
    for path in there:
        for name in sorted(set(wanted(path)) - good):
            yield "%s: wants %s, but shares a zygote's memory" % (path, name)


def main(argv):
    objects, layers = argv[1], argv[2:]
    faults, count = [], 0
    for layer in layers:
        names = banned(layer)
        for path in sorted(glob.glob(os.path.join(objects, layer, "*.o"))):
            if not os.path.exists(os.path.relpath(path, objects)[:-2] + ".c"):
                continue  # left over from a source that is gone
            count += 1
            faults += ["%s: wants %s" % (path, name)
                       for name in sorted(names & set(wanted(path)))]
        for path in sorted(glob.glob(layer + "/**/*.[ch]", recursive=True)):
            faults += source_faults(path, names)
    if os.path.exists("executor/sys.h"):
        faults += shared_faults(objects)
    if count == 0:
        faults.append("no objects below '%s'" % objects)
    print("\n".join(faults) if faults
          else "%d objects, no banned call" % count)
    return 1 if faults else 0


sys.exit(main(sys.argv))
