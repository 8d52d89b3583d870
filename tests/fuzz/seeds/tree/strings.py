a = 'x' "y" '''z
''' """w""" rb'\x' b"\x41\101\n" u"é" f"{a!r:>{b}}" fr'\{a}' "\N{BULLET}\u00e9\U0001f40d"
