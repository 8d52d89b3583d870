def gen(): yield
g = gen()
g.gi_frame.f_globals["__builtins__"]["eval"]("1")  # expect: SG201
