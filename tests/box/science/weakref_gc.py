"""Weak references, finalizers and the garbage collector."""
import gc
import weakref


class Node:
    def __init__(self, name):
        self.name, self.other = name, None


log = []
a = Node("a")
ref = weakref.ref(a, lambda r: log.append("a is gone"))
weakref.finalize(a, log.append, "finalized")
print(ref() is a, weakref.getweakrefcount(a) >= 1)
del a
gc.collect()
print(ref(), log)
cache = weakref.WeakValueDictionary()
keep = Node("keep")
cache["keep"], cache["drop"] = keep, Node("drop")
gc.collect()
print(sorted(cache), cache.get("drop"))
x, y = Node("x"), Node("y")
x.other, y.other = y, x
gone = weakref.ref(x)
gc.disable()
del x, y
print(gone() is not None)
print(gc.collect() >= 2, gone())
gc.enable()
proxy = weakref.proxy(keep)
print(proxy.name)
seen = weakref.WeakSet([keep])
print(keep in seen, len(seen))
del keep
gc.collect()
try:
    proxy.name
except ReferenceError as error:
    print(error)
print(len(seen), gc.isenabled(), gc.is_tracked([]), gc.is_tracked(1), len(gc.get_threshold()))


class Meter:
    def read(self):
        return 5


meter = Meter()
method = weakref.WeakMethod(meter.read)
print(method()())
del meter
gc.collect()
print(method())
