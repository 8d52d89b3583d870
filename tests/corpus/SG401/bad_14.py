"""A kind of path of its own."""
import pathlib


class Place(type(pathlib.Path())):
    def lines(self):
        return self.read_text().splitlines()


print(Place("/srv", "ledger").lines())  # expect: SG401
