import array
array.array('b').buffer_info()
import mmap  # expect: SG105
