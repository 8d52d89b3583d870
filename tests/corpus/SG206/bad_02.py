import gc
gc.get_referrers([])  # expect: SG206
