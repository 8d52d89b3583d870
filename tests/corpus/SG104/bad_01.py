import multiprocessing.managers  # expect: SG104, SG106, SG302
