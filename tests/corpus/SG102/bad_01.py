from importlib.metadata import EntryPoint  # expect: SG102, SG506
EntryPoint("x", "os:system", "g").load()("x")  # expect: SG102
