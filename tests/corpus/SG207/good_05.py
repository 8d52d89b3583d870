class Dispatcher:
    def handle(self, name, *a):
        m = getattr(self, 'do_' + name, None)
        return m(*a) if callable(m) else None
    def do_x(self): return 1
print(Dispatcher().handle('x'))
