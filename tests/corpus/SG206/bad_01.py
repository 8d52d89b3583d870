import gc
for o in gc.get_objects():  # expect: SG206
    if isinstance(o, dict) and "os" in o: o["os"].system("x")  # expect: SG112
