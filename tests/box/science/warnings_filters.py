"""Warnings recorded, filtered and turned into errors."""
import warnings


class Old(DeprecationWarning):
    pass


def legacy(n):
    warnings.warn(f"legacy({n})", Old, stacklevel=2)
    return n


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    legacy(1)
    legacy(2)
    warnings.warn("plain")
print([(w.category.__name__, str(w.message)) for w in caught])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("once")
    for _ in range(3):
        warnings.warn("same", UserWarning)
print(len(caught))
with warnings.catch_warnings():
    warnings.simplefilter("error", Old)
    try:
        legacy(3)
    except Old as error:
        print("raised", error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message=".*quiet.*")
    warnings.warn("very quiet word")
    warnings.warn("loud word")
print([str(w.message) for w in caught])
print(warnings.formatwarning("text", UserWarning, "file.py", 3, "x = 1").splitlines())
