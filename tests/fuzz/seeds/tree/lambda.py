f = lambda a, *b, c=lambda: 1, **d: (yield)
(lambda: (yield))()
