import mmap  # expect: SG105
mmap.mmap(-1,10)  # expect: SG105
