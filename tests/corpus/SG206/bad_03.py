import gc
gc.get_objects()  # expect: SG206
