class Shape:
    pass


class Circle(Shape):
    pass


print([c.__name__ for c in Shape.__subclasses__()], Circle.__mro__, Circle().__class__.__bases__)
