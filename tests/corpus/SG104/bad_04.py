import posix  # expect: SG104
posix.system('ls')  # expect: SG104
