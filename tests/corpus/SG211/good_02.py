import gc, weakref, sys
gc.collect(); print(sys.getsizeof([]), sys.getrefcount([]))
class A: pass
a = A(); r = weakref.ref(a); print(r() is a, weakref.WeakValueDictionary())
