"""Reaches for files through what objects do by themselves."""


class Shelf:
    """/srv/shelf"""

    def __setitem__(self, key, value):
        with open(key + value) as f:  # expect: SG401, SG408
            print(f.read())

    def __format__(self, spec):
        return "/srv/" + spec

    def __fspath__(self):
        return "/" + "srv/own"


shelf = Shelf()
shelf["/srv/"] = "a"
print(open(f"{shelf:b}").read())  # expect: SG401, SG408
print(open(shelf).read())  # expect: SG401, SG408
print(open(Shelf.__doc__).read())  # expect: SG401


def reader():
    while True:
        name = yield
        print(open(name).read())  # expect: SG401, SG408


r = reader()
next(r)
r.send("/srv/" + "c")
