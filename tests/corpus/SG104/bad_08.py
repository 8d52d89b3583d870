from multiprocessing import Pool  # expect: SG104
Pool(2).map(print,[1])  # expect: SG104
