def f():
    yield
f().gi_code  # expect: SG201
